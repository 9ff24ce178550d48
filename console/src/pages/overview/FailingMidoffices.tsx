import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { classes } from '../../ui/text/classes.ts';
import { inDigits, percent } from '../../ui/text/numbers.ts';
import { Ago } from '../../ui/text/Time.tsx';
import { counted } from '../../words/en/counted.ts';

/** Those that are down, then those that have only just begun to fail; each by what waits for them. */
export function FailingMidoffices({
  stats: { failing_count, failing_midoffices, unstable_count, unstable_midoffices },
}: {
  stats: Stats;
}) {
  const { links } = useEnvironment();
  const all = [...failing_midoffices, ...unstable_midoffices];
  const others = failing_count + unstable_count - all.length;
  return (
    <Section title="Failing midoffices" aside={<Link {...links.midoffices}>All midoffices</Link>}>
      {all.length === 0 ? (
        <Empty title="No midoffice is down." />
      ) : (
        <ul className={rowsStyles.rows}>
          {all.map((midoffice) => (
            <li
              key={midoffice.id}
              className={classes(rowsStyles.row, !('failed_share' in midoffice) && rowsStyles.bad)}
            >
              <div className={rowsStyles.main}>
                <Link {...links.midoffice(midoffice.id)}>{midoffice.name}</Link>
                <span className={rowsStyles.note}>
                  {midoffice.last_error ?? 'No attempt succeeded.'}
                </span>
              </div>
              <div className={rowsStyles.side}>
                <strong>{inDigits(midoffice.pending)} waiting</strong>
                <span className={rowsStyles.note}>
                  {standing(midoffice)}, first failed <Ago at={midoffice.failing_since} />
                </span>
              </div>
            </li>
          ))}
          {others > 0 && (
            <li className={rowsStyles.row}>
              {counted(others, 'other midoffice')} with fewer webhooks waiting.
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}

function standing(
  midoffice: Stats['failing_midoffices'][number] | Stats['unstable_midoffices'][number],
): string {
  if (!('failed_share' in midoffice)) return 'down';
  const { failed_share } = midoffice;
  return failed_share === null ? 'unstable' : `unstable: ${percent(failed_share)} failed`;
}

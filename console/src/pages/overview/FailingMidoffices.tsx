import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { inDigits } from '../../ui/text/numbers.ts';
import { Ago } from '../../ui/text/Time.tsx';
import { counted } from '../../words/en/counted.ts';

/** Those that the most webhooks wait for come first. */
export function FailingMidoffices({
  stats: { failing_count, failing_midoffices },
}: {
  stats: Stats;
}) {
  const { links } = useEnvironment();
  const others = failing_count - failing_midoffices.length;
  return (
    <Section title="Failing midoffices" aside={<Link {...links.midoffices}>All midoffices</Link>}>
      {failing_midoffices.length === 0 ? (
        <Empty title="No midoffice is down." />
      ) : (
        <ul className={rowsStyles.rows}>
          {failing_midoffices.map((midoffice) => (
            <li key={midoffice.id} className={`${rowsStyles.row} ${rowsStyles.bad}`}>
              <div className={rowsStyles.main}>
                <Link {...links.midoffice(midoffice.id)}>{midoffice.name}</Link>
                <span className={rowsStyles.note}>
                  {midoffice.last_error ?? 'No attempt succeeded.'}
                </span>
              </div>
              <div className={rowsStyles.side}>
                <strong>{inDigits(midoffice.pending)} waiting</strong>
                <span className={rowsStyles.note}>
                  first failed <Ago at={midoffice.failing_since} />
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

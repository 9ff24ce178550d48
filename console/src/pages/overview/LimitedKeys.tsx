import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import meterStyles from '../../ui/lists/Meter.module.css';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { classes } from '../../ui/text/classes.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import styles from './Overview.module.css';

export function LimitedKeys({ stats: { limited_keys, span } }: { stats: Stats }) {
  const { links } = useEnvironment();
  const most = Math.max(...(limited_keys ?? []).map((key) => key.refused), 1);
  return (
    <Section title="Keys that hit their limits" aside={<Link {...links.keys}>All keys</Link>}>
      {limited_keys === null ? (
        <Empty title="Reading the refused calls took too long." />
      ) : limited_keys.length === 0 ? (
        <Empty title={`No call was refused in the last ${span}.`} />
      ) : (
        <ul className={rowsStyles.rows}>
          {limited_keys.map((key) => (
            <li key={key.key_id} className={rowsStyles.row}>
              <div className={rowsStyles.main}>
                <span>
                  <Link {...links.key(key.key_id)}>{key.label ?? key.key_id}</Link>{' '}
                  <span className={rowsStyles.note}>{key.partner_name}</span>
                </span>
                <span className={classes(meterStyles.track, styles.share)} aria-hidden="true">
                  <span
                    className={classes(meterStyles.fill, styles.refused)}
                    style={{ width: `${(key.refused / most) * 100}%` }}
                  />
                </span>
              </div>
              <div className={rowsStyles.side}>
                <strong>{inDigits(key.refused)}</strong>
                <span className={rowsStyles.note}>refused in the last {span}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

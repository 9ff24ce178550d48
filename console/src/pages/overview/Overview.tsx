/** The first page: whether webhooks are delivered, and if not, where they are stuck. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Span, Stats } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { overviewParams } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import segmentsStyles from '../../ui/forms/Segments.module.css';
import meterStyles from '../../ui/lists/Meter.module.css';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded, Waiting } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { classes } from '../../ui/text/classes.ts';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { AuditList } from '../../widgets/AuditList.tsx';
import { percent, sum } from './figures.ts';
import styles from './Overview.module.css';

const Charts = lazy(async () => ({ default: (await import('./Charts.tsx')).Charts }));

const POLL_MS = 5_000;
const spans: readonly [Span, string][] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
];

export default function Overview() {
  const { queries } = useEnvironment();
  const { filters, change } = useFilters(overviewParams);
  const span: Span = filters.span === 'day' || filters.span === 'week' ? filters.span : 'hour';
  const stats = useLiveQuery(queries.stats(span), POLL_MS);
  return (
    <Page
      title="Overview"
      badges={<LiveMark query={stats} />}
      actions={
        <fieldset className={segmentsStyles.segments}>
          <legend className={textStyles.visuallyHidden}>Span of the charts</legend>
          {spans.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === span}
              onClick={() => change({ span: name === 'hour' ? '' : name })}
            >
              {title}
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded query={stats}>{(shown) => <Figures stats={shown} />}</Loaded>
    </Page>
  );
}

const number = new Intl.NumberFormat();

function Figures({ stats }: { stats: Stats }) {
  const { links } = useEnvironment();
  const exhausted = sum(stats.buckets, 'exhausted');
  return (
    <>
      <div className={styles.tiles}>
        <Link className={styles.tile} {...links.deliveries({ state: 'pending' })}>
          <span className={styles.name}>Pending</span>
          <span className={styles.value}>{number.format(stats.pending)}</span>
          <span className={styles.note}>{number.format(stats.in_flight)} in flight now</span>
        </Link>
        <Link className={styles.tile} {...links.deliveries({ state: 'pending' })}>
          <span className={styles.name}>Oldest pending</span>
          <span className={styles.value}>
            {stats.oldest_pending_at ? <Ago at={stats.oldest_pending_at} /> : '–'}
          </span>
          <span className={styles.note}>
            {stats.oldest_pending_at ? 'accepted and not delivered yet' : 'nothing is pending'}
          </span>
        </Link>
        <Link className={styles.tile} {...links.deliveries({ state: 'delivered' })}>
          <span className={styles.name}>Delivered</span>
          <span className={styles.value}>{number.format(sum(stats.buckets, 'delivered'))}</span>
          <span className={styles.note}>in the last {stats.span}</span>
        </Link>
        <Link
          className={classes(styles.tile, exhausted > 0 && styles.bad)}
          {...links.deliveries({ state: 'exhausted' })}
        >
          <span className={styles.name}>Exhausted</span>
          <span className={styles.value}>{number.format(exhausted)}</span>
          <span className={styles.note}>in the last {stats.span}</span>
        </Link>
      </div>
      <p className={textStyles.visuallyHidden} role="status">
        {`${stats.pending} pending, ${stats.failing_midoffices.length} midoffices failing, success rate ${percent(stats.success_rate)}`}
      </p>
      <div className={styles.charts}>
        <Suspense fallback={<Waiting />}>
          <Charts stats={stats} />
        </Suspense>
      </div>
      <div className={styles.columns}>
        <FailingMidoffices stats={stats} />
        <LimitedKeys stats={stats} />
      </div>
      <Section title="Recent changes" aside={<Link {...links.audit()}>All changes</Link>}>
        {stats.recent_changes.length === 0 ? (
          <Empty title="Nothing has changed yet.">
            Every change is listed here, with who made it and when.
          </Empty>
        ) : (
          <AuditList entries={stats.recent_changes} brief />
        )}
      </Section>
    </>
  );
}

function FailingMidoffices({ stats: { failing_midoffices } }: { stats: Stats }) {
  const { links } = useEnvironment();
  return (
    <Section title="Failing midoffices">
      {failing_midoffices.length === 0 ? (
        <Empty title="All receivers answer." />
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
                <strong>{number.format(midoffice.pending)} pending</strong>
                <span className={rowsStyles.note}>
                  since <Ago at={midoffice.failing_since} />
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function LimitedKeys({ stats: { limited_keys } }: { stats: Stats }) {
  const { links } = useEnvironment();
  const most = Math.max(...limited_keys.map((key) => key.refused), 1);
  return (
    <Section title="Keys that hit their limits">
      {limited_keys.length === 0 ? (
        <Empty title="No call was refused in the last hour." />
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
                    className={meterStyles.fill}
                    style={{ width: `${(key.refused / most) * 100}%` }}
                  />
                </span>
              </div>
              <div className={rowsStyles.side}>
                <strong>{number.format(key.refused)}</strong>
                <span className={rowsStyles.note}>refused in the last hour</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

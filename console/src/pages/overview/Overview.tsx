/** The first page: how things are, what to do about it, and the figures behind it. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { whenReachable } from '../../api/connection.ts';
import type { Span, Stats } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { overviewParams } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { entriesOf } from '../../entries.ts';
import segmentsStyles from '../../ui/forms/Segments.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded, Waiting } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { classes } from '../../ui/text/classes.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { AuditList } from '../../widgets/AuditList.tsx';
import { FailingMidoffices } from './FailingMidoffices.tsx';
import { isQuiet, sum } from './figures.ts';
import { LimitedKeys } from './LimitedKeys.tsx';
import styles from './Overview.module.css';
import { VerdictCard } from './VerdictCard.tsx';

const Charts = lazy(async () => ({
  default: (await whenReachable(() => import('./Charts.tsx'))).Charts,
}));

const OrFirstSteps = lazy(async () => ({
  default: (await whenReachable(() => import('./FirstSteps.tsx'))).OrFirstSteps,
}));

const POLL_MS = 5_000;
const spans = { hour: 'Hour', day: 'Day', week: 'Week' } satisfies Record<Span, string>;

export default function Overview() {
  const { queries } = useEnvironment();
  const { given, change } = useFilters(overviewParams);
  const span = entriesOf(spans).find(([name]) => name === given.span)?.[0] ?? 'hour';
  const stats = useLiveQuery(queries.stats(span), POLL_MS);
  return (
    <Page
      title="Overview"
      badges={<LiveMark query={stats} />}
      actions={
        <fieldset className={segmentsStyles.segments}>
          <legend className={textStyles.visuallyHidden}>Span of the figures</legend>
          {entriesOf(spans).map(([name, title]) => (
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
      <Loaded query={stats}>
        {(shown) =>
          isQuiet(shown) ? (
            <Suspense fallback={<Waiting />}>
              <OrFirstSteps>
                <Figures stats={shown} />
              </OrFirstSteps>
            </Suspense>
          ) : (
            <Figures stats={shown} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Figures({ stats }: { stats: Stats }) {
  const { links } = useEnvironment();
  return (
    <>
      <VerdictCard stats={stats} />
      <div className={styles.tiles}>
        <Link className={styles.tile} {...links.deliveries({ state: 'pending' })}>
          <span className={styles.name}>Waiting</span>
          <span className={styles.value}>{inDigits(stats.pending)}</span>
          <span className={styles.note}>{inDigits(stats.in_flight)} in flight now</span>
        </Link>
        <Link className={styles.tile} {...links.deliveries({ state: 'pending' })}>
          <span className={styles.name}>Oldest waiting</span>
          <span className={styles.value}>
            {stats.oldest_pending_at ? <Ago at={stats.oldest_pending_at} /> : '–'}
          </span>
          <span className={styles.note}>
            {stats.oldest_pending_at ? 'accepted and not delivered yet' : 'nothing waits'}
          </span>
        </Link>
        <Link
          className={styles.tile}
          {...links.deliveries({ state: 'delivered', since: stats.from })}
        >
          <span className={styles.name}>Delivered</span>
          <span className={styles.value}>{inDigits(sum(stats.buckets, 'delivered'))}</span>
          <span className={styles.note}>in the last {stats.span}</span>
        </Link>
        <Link
          className={classes(styles.tile, stats.exhausted > 0 && styles.bad)}
          {...links.deliveries({ only: 'unacknowledged' })}
        >
          <span className={styles.name}>Exhausted</span>
          <span className={styles.value}>{inDigits(stats.exhausted)}</span>
          <span className={styles.note}>
            {stats.oldest_exhausted_at ? (
              <>
                still open, oldest <Ago at={stats.oldest_exhausted_at} />
              </>
            ) : (
              'all sent again or acknowledged'
            )}
          </span>
        </Link>
      </div>
      <div className={styles.charts}>
        <Suspense fallback={<Waiting />}>
          <Charts stats={stats} />
        </Suspense>
      </div>
      <div className={styles.columns}>
        <FailingMidoffices stats={stats} />
        <LimitedKeys stats={stats} />
        <Section title="Recent changes" aside={<Link {...links.audit()}>All changes</Link>}>
          {stats.recent_changes.length === 0 ? (
            <Empty title="Nothing has changed yet.">
              Every change is listed here, with who made it and when.
            </Empty>
          ) : (
            <AuditList entries={stats.recent_changes} brief />
          )}
        </Section>
      </div>
    </>
  );
}

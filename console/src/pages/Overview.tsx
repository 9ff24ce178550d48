/** The first page: is everything going out, and if not, where does it hang? */
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { Span, Stats } from '../model.ts';
import { AuditList } from '../parts/AuditList.tsx';
import { DeliveriesChart, sum } from '../parts/DeliveriesChart.tsx';
import { Empty } from '../parts/Empty.tsx';
import { LiveMark } from '../parts/LiveMark.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { percent, SuccessChart } from '../parts/SuccessChart.tsx';
import { Ago } from '../parts/Time.tsx';
import { Link, useFilters } from '../router.tsx';

const POLL_MS = 5_000;
const names = ['span'] as const;
const spans: readonly [Span, string][] = [
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
];

export default function Overview() {
  const { api } = useDesk();
  const { filters, change } = useFilters(names);
  const span: Span = filters.span === 'day' || filters.span === 'week' ? filters.span : 'hour';
  const reading = useReading(`stats ${span}`, () => api.stats(span), POLL_MS);
  return (
    <Page
      title="Overview"
      badges={<LiveMark reading={reading} />}
      actions={
        <fieldset className="segments">
          <legend className="visually-hidden">Span of the charts</legend>
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
      <Loaded reading={reading}>{(stats) => <Figures stats={stats} />}</Loaded>
    </Page>
  );
}

const number = new Intl.NumberFormat();

function Figures({ stats }: { stats: Stats }) {
  const { places } = useDesk();
  const exhausted = sum(stats.buckets, 'exhausted');
  return (
    <>
      <div className="tiles">
        <Link className="tile" to={places.deliveries({ state: 'pending' })}>
          <span className="tile-name">Pending</span>
          <span className="tile-value">{number.format(stats.pending)}</span>
          <span className="tile-note">{number.format(stats.in_flight)} in flight now</span>
        </Link>
        <Link className="tile" to={places.deliveries({ state: 'pending' })}>
          <span className="tile-name">Oldest pending</span>
          <span className="tile-value">
            {stats.oldest_pending_at ? <Ago at={stats.oldest_pending_at} /> : '–'}
          </span>
          <span className="tile-note">
            {stats.oldest_pending_at ? 'accepted and not delivered yet' : 'nothing waits'}
          </span>
        </Link>
        <Link className="tile" to={places.deliveries({ state: 'delivered' })}>
          <span className="tile-name">Delivered</span>
          <span className="tile-value">{number.format(sum(stats.buckets, 'delivered'))}</span>
          <span className="tile-note">in the last {stats.span}</span>
        </Link>
        <Link
          className={`tile ${exhausted > 0 ? 'tile-bad' : ''}`}
          to={places.deliveries({ state: 'exhausted' })}
        >
          <span className="tile-name">Exhausted</span>
          <span className="tile-value">{number.format(exhausted)}</span>
          <span className="tile-note">given up in the last {stats.span}</span>
        </Link>
      </div>
      <p className="visually-hidden" role="status">
        {`${stats.pending} pending, ${stats.failing_midoffices.length} midoffices failing, success rate ${percent(stats.success_rate)}`}
      </p>
      <div className="charts">
        <DeliveriesChart stats={stats} />
        <SuccessChart stats={stats} />
      </div>
      <div className="columns">
        <FailingMidoffices stats={stats} />
        <LimitedKeys stats={stats} />
      </div>
      <Section title="What changed lately" aside={<Link to={places.audit()}>Whole audit</Link>}>
        {stats.recent_changes.length === 0 ? (
          <Empty title="Nothing was changed yet.">
            Everything that anyone changes here is listed, with who and when.
          </Empty>
        ) : (
          <AuditList entries={stats.recent_changes} brief />
        )}
      </Section>
    </>
  );
}

function FailingMidoffices({ stats: { failing_midoffices } }: { stats: Stats }) {
  const { places } = useDesk();
  return (
    <Section title="Failing midoffices">
      {failing_midoffices.length === 0 ? (
        <Empty title="All receivers answer." />
      ) : (
        <ul className="rows">
          {failing_midoffices.map((midoffice) => (
            <li key={midoffice.id} className="row row-bad">
              <div className="row-main">
                <Link to={places.midoffice(midoffice.id)}>{midoffice.name}</Link>
                <span className="row-note">{midoffice.last_error ?? 'No attempt succeeded.'}</span>
              </div>
              <div className="row-side">
                <strong>{number.format(midoffice.pending)} pending</strong>
                <span className="row-note">
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
  const { places } = useDesk();
  const most = Math.max(...limited_keys.map((key) => key.refused), 1);
  return (
    <Section title="Keys that hit their limits">
      {limited_keys.length === 0 ? (
        <Empty title="No call was refused in the last hour." />
      ) : (
        <ul className="rows">
          {limited_keys.map((key) => (
            <li key={key.key_id} className="row">
              <div className="row-main">
                <span>
                  <Link to={places.key(key.key_id)}>{key.label ?? key.key_id}</Link>{' '}
                  <span className="row-note">{key.partner_name}</span>
                </span>
                <span className="meter-track" aria-hidden="true">
                  <span
                    className="meter-fill"
                    style={{ width: `${(key.refused / most) * 100}%` }}
                  />
                </span>
              </div>
              <div className="row-side">
                <strong>{number.format(key.refused)}</strong>
                <span className="row-note">refused in an hour</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

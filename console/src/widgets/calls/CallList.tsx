/** Refused and failed calls, newest first: what was called, what the answer was, and what to do about it. */
import { Link } from '@tanstack/react-router';
import type { Call } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Badge } from '../../ui/text/Badge.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { classes } from '../../ui/text/classes.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { Ago, Time } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { PartnerLink } from '../NameLink.tsx';
import { AllowAddress } from './AllowAddress.tsx';
import { type Alike, alike } from './alike.ts';
import styles from './CallList.module.css';
import { codeInWords, limitOf, targetOf, upstreamOf } from './call-words.ts';

interface Props {
  calls: Call[];
  /** Where calls of many keys are listed. */
  withKey?: boolean;
  /** At most so many rows. */
  most?: number;
}

export function CallList({ calls, withKey = false, most }: Props) {
  return (
    <ul className={rowsStyles.rows}>
      {alike(calls)
        .slice(0, most)
        .map((row) => (
          <Row key={row.newest.request_id} row={row} withKey={withKey} />
        ))}
    </ul>
  );
}

function Row({ row, withKey }: { row: Alike; withKey: boolean }) {
  const { newest: call } = row;
  const { status, code, method, advice, verdict } = call;
  return (
    <li className={classes(rowsStyles.row, styles.row)}>
      <div className={rowsStyles.main}>
        <p className={styles.head}>
          <Badge tone={status >= 500 ? 'bad' : 'warn'}>
            <span title={code}>
              {status} {codeInWords(code)}
            </span>
          </Badge>
          <strong>
            {method} {targetOf(call)}
          </strong>
          <From call={call} />
          {withKey && <By call={call} />}
        </p>
        <p>
          {verdict.sentence} {advice} <AllowAddress call={call} />
        </p>
        <Standing call={call} />
        <Lines row={row} />
      </div>
      <div className={classes(rowsStyles.side, rowsStyles.note)}>
        <Ago at={call.at} />
      </div>
    </li>
  );
}

function From({ call: { address } }: { call: Call }) {
  const { links } = useEnvironment();
  return (
    <span className={textStyles.dim}>
      from{' '}
      <Link {...links.calls({ address })} title="All calls from this address">
        {address}
      </Link>
    </span>
  );
}

function By({ call: { key_id, partner_id } }: { call: Call }) {
  const { links } = useEnvironment();
  if (key_id === null || partner_id === null) {
    return <span className={textStyles.dim}>without a known key</span>;
  }
  return (
    <span className={textStyles.dim}>
      key <Link {...links.key(key_id)}>{key_id}</Link> of <PartnerLink id={partner_id} />
    </span>
  );
}

/** The limit where it was the reason, and what the booking core did if it was asked. */
function Standing({ call }: { call: Call }) {
  const limit = call.code === 'endpoint_exceeded_limit' ? limitOf(call) : undefined;
  const upstream = upstreamOf(call);
  if (!limit && !upstream) return null;
  return (
    <p className={rowsStyles.note}>
      {limit && call.limit && (
        <>
          {limit}; room again <Time at={call.limit.resets_at} />.{' '}
        </>
      )}
      {upstream && `The booking core ${upstream}.`}
    </p>
  );
}

function Lines({ row: { newest, lines, calls } }: { row: Alike }) {
  const { links } = useEnvironment();
  const oldest = lines.at(-1);
  if (lines.length === 1 || !oldest) {
    return (
      <div className={classes(rowsStyles.note, styles.ids)}>
        <Id id={newest.request_id} what="request id" />
        <Link {...links.case(newest.request_id)}>What happened around it</Link>
        {calls > 1 && <span>and {inDigits(calls - 1)} more like it</span>}
      </div>
    );
  }
  return (
    <details className={rowsStyles.note}>
      <summary>
        {inDigits(calls)} calls since <Time at={oldest.at} />
      </summary>
      <ul className={styles.lines}>
        {lines.map(({ request_id, at, sampled_from }) => (
          <li key={request_id} className={styles.ids}>
            <Time at={at} /> <Id id={request_id} what="request id" />{' '}
            <Link {...links.case(request_id)}>What happened around it</Link>
            {sampled_from > 1 && <span>and {inDigits(sampled_from - 1)} more like it</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

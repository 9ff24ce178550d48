/** Refused and failed calls as support sees them: what was called and by whom, what the answer was, and what to do. */
import { Link } from '@tanstack/react-router';
import type { Call } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Time } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { inChosenZone } from '../../ui/text/times.ts';
import { words } from '../../words/words.ts';
import { PartnerLink } from '../NameLink.tsx';
import { AllowAddress } from './AllowAddress.tsx';
import { CallRows } from './CallRows.tsx';
import { limitOf, upstreamOf } from './core-words.ts';

interface Props {
  calls: Call[];
  /** Where calls of many keys are listed. */
  withKey?: boolean;
  /** At most so many rows. */
  most?: number;
}

export function CallList({ calls, withKey = false, most }: Props) {
  const { links } = useEnvironment();
  return (
    <CallRows
      calls={calls}
      most={most}
      by={(call) => (
        <>
          <From call={call} />
          {withKey && <By call={call} />}
        </>
      )}
      said={(call) => (
        <>
          <p>
            {inChosenZone(call.verdict.sentence)} <AllowAddress call={call} />
          </p>
          <p className={rowsStyles.note}>{words.calls.toPartner(call.advice)}</p>
          <Standing call={call} />
        </>
      )}
      caseLink={(id, text) => <Link {...links.case(id)}>{text}</Link>}
    />
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

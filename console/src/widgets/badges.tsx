/**
 * The state of a record at a glance. The tables are complete: a new state does not compile until it has a label and a
 * colour.
 */
import type { ComponentType } from 'react';
import type {
  Delivery,
  DeliveryState,
  Key,
  LimitRequestState,
  MailState,
  Midoffice,
  MidofficeHealth,
  Partner,
} from '../api/types.ts';
import { Badge, Badges, type Tone } from '../ui/text/Badge.tsx';
import { CheckIcon, ClockIcon, CrossIcon, PauseIcon, WarningIcon } from '../ui/text/icons.tsx';
import { words } from '../words/words.ts';
import { isRotating } from './rotation.ts';

interface Look {
  label: string;
  tone?: Tone;
  Icon?: ComponentType;
}

export const deliveryStates = {
  pending: { label: words.states.deliveries.pending, tone: 'accent', Icon: ClockIcon },
  delivered: { label: words.states.deliveries.delivered, tone: 'good', Icon: CheckIcon },
  exhausted: { label: words.states.deliveries.exhausted, tone: 'bad', Icon: CrossIcon },
  cancelled: { label: words.states.deliveries.cancelled },
  unrouted: { label: words.states.deliveries.unrouted, tone: 'warn' },
} satisfies Record<DeliveryState, Look>;

const healthStates = {
  untested: { label: words.states.health.untested },
  healthy: { label: words.states.health.healthy, tone: 'good' },
  failing: { label: words.states.health.failing, tone: 'bad', Icon: WarningIcon },
} satisfies Record<MidofficeHealth, Look>;

const mailStates = {
  waiting: { label: words.states.mails.waiting, tone: 'accent', Icon: ClockIcon },
  sent: { label: words.states.mails.sent, tone: 'good', Icon: CheckIcon },
  given_up: { label: words.states.mails.given_up, tone: 'bad', Icon: CrossIcon },
} satisfies Record<MailState, Look>;

const limitRequestStates = {
  open: { label: words.states.limitRequests.open, tone: 'accent', Icon: ClockIcon },
  granted: { label: words.states.limitRequests.granted, tone: 'good', Icon: CheckIcon },
  refused: { label: words.states.limitRequests.refused, Icon: CrossIcon },
} satisfies Record<LimitRequestState, Look>;

function StateBadge({ look: { label, tone, Icon } }: { look: Look }) {
  return (
    <Badge tone={tone}>
      {Icon && <Icon />}
      {Icon && ' '}
      {label}
    </Badge>
  );
}

type Progress = Pick<
  Delivery,
  'state' | 'paused' | 'in_flight' | 'attempts_made' | 'acknowledged_at'
>;

export function DeliveryBadge({ delivery }: { delivery: Progress }) {
  return <StateBadge look={lookOf(delivery)} />;
}

/** A pending delivery shows more than its state. */
export function lookOf({
  state,
  paused,
  in_flight,
  attempts_made,
  acknowledged_at,
}: Progress): Look {
  // A page that was opened before an upgrade shows the name of a state that it does not know.
  const look: Look = deliveryStates[state] ?? { label: state };
  if (state === 'exhausted' && acknowledged_at) return { label: words.states.acknowledged };
  if (state !== 'pending') return look;
  if (in_flight) return { ...look, label: words.states.inFlight };
  if (paused) return { label: words.states.paused, tone: 'warn', Icon: PauseIcon };
  return attempts_made > 0 ? { ...look, label: words.states.retrying, tone: 'warn' } : look;
}

export function MailBadge({ state }: { state: MailState }) {
  return <StateBadge look={mailStates[state] ?? { label: state }} />;
}

export function LimitRequestBadge({ state }: { state: LimitRequestState }) {
  return <StateBadge look={limitRequestStates[state] ?? { label: state }} />;
}

export function PartnerBadges({ partner }: { partner: Partner }) {
  return (
    <Badges>
      {partner.suspended && <Badge tone="bad">{words.states.partners.suspended}</Badge>}
      {partner.certified_at ? (
        <Badge tone="good">{words.states.partners.certified}</Badge>
      ) : (
        <Badge>{words.states.partners.uncertified}</Badge>
      )}
    </Badges>
  );
}

type JudgedKey = Pick<Key, 'revoked_at' | 'disabled' | 'expires_at' | 'overlap_ends'>;

export function KeyBadge({ apiKey }: { apiKey: JudgedKey }) {
  if (apiKey.revoked_at) return <Badge tone="bad">{words.states.keys.revoked}</Badge>;
  if (apiKey.disabled) return <Badge tone="warn">{words.states.keys.disabled}</Badge>;
  if (apiKey.expires_at && Date.parse(apiKey.expires_at) <= Date.now()) {
    return <Badge tone="bad">{words.states.keys.expired}</Badge>;
  }
  if (isRotating(apiKey, Date.now()))
    return <Badge tone="accent">{words.states.keys.rotating}</Badge>;
  return <Badge tone="good">{words.states.keys.active}</Badge>;
}

/** A partner sees neither what others that share its midoffice have lost, nor what support is warned of. */
type Judged = Pick<Midoffice, 'paused' | 'health'> &
  Partial<Pick<Midoffice, 'exhausted' | 'warnings'>>;

function warningOf(code: string): Look {
  return { label: code === 'signing_key_not_own' ? words.states.borrowedKey : code };
}

export function MidofficeBadges({
  midoffice: { paused, health, exhausted = 0, warnings = [] },
}: {
  midoffice: Judged;
}) {
  return (
    <Badges>
      {paused && (
        <StateBadge look={{ label: words.states.paused, tone: 'warn', Icon: PauseIcon }} />
      )}
      {/* Nobody sends to a paused midoffice, so its last success says little. What was given up or is warned of is not healthy. */}
      {!((paused || exhausted > 0 || warnings.length > 0) && health === 'healthy') && (
        <StateBadge look={healthStates[health] ?? { label: health }} />
      )}
      {exhausted > 0 && (
        <StateBadge
          look={{
            label: words.states.exhausted(exhausted),
            tone: 'bad',
            Icon: CrossIcon,
          }}
        />
      )}
      {warnings.map(({ code }) => (
        <StateBadge key={code} look={{ ...warningOf(code), tone: 'warn', Icon: WarningIcon }} />
      ))}
    </Badges>
  );
}

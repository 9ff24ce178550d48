/**
 * The state of a record at a glance. The tables are complete: a new state does not compile until it has a label and a
 * colour.
 */
import type { ComponentType } from 'react';
import type {
  Delivery,
  DeliveryState,
  Key,
  MailState,
  Midoffice,
  MidofficeHealth,
  Partner,
} from '../api/types.ts';
import { Badge, Badges, type Tone } from '../ui/text/Badge.tsx';
import { CheckIcon, ClockIcon, CrossIcon, PauseIcon, WarningIcon } from '../ui/text/icons.tsx';
import { inDigits } from '../ui/text/numbers.ts';
import { isRotating } from './rotation.ts';

interface Look {
  label: string;
  tone?: Tone;
  Icon?: ComponentType;
}

export const deliveryStates = {
  pending: { label: 'pending', tone: 'accent', Icon: ClockIcon },
  delivered: { label: 'delivered', tone: 'good', Icon: CheckIcon },
  exhausted: { label: 'exhausted', tone: 'bad', Icon: CrossIcon },
  cancelled: { label: 'cancelled' },
  unrouted: { label: 'no midoffice', tone: 'warn' },
} satisfies Record<DeliveryState, Look>;

const healthStates = {
  untested: { label: 'untested' },
  healthy: { label: 'healthy', tone: 'good' },
  failing: { label: 'failing', tone: 'bad', Icon: WarningIcon },
} satisfies Record<MidofficeHealth, Look>;

const mailStates = {
  waiting: { label: 'waiting', tone: 'accent', Icon: ClockIcon },
  sent: { label: 'mailed', tone: 'good', Icon: CheckIcon },
  given_up: { label: 'given up', tone: 'bad', Icon: CrossIcon },
} satisfies Record<MailState, Look>;

function StateBadge({ look: { label, tone, Icon } }: { look: Look }) {
  return (
    <Badge tone={tone}>
      {Icon && <Icon />}
      {Icon && ' '}
      {label}
    </Badge>
  );
}

type Progress = Pick<Delivery, 'state' | 'in_flight' | 'attempts_made' | 'acknowledged_at'>;

export function DeliveryBadge({ delivery }: { delivery: Progress }) {
  return <StateBadge look={lookOf(delivery)} />;
}

/** A pending delivery shows more than its state. */
export function lookOf({ state, in_flight, attempts_made, acknowledged_at }: Progress): Look {
  // A page that was opened before an upgrade shows the name of a state that it does not know.
  const look: Look = deliveryStates[state] ?? { label: state };
  if (state === 'exhausted' && acknowledged_at) return { label: 'exhausted, acknowledged' };
  if (state !== 'pending') return look;
  if (in_flight) return { ...look, label: 'in flight' };
  return attempts_made > 0 ? { ...look, label: 'pending, retrying', tone: 'warn' } : look;
}

export function MailBadge({ state }: { state: MailState }) {
  return <StateBadge look={mailStates[state] ?? { label: state }} />;
}

export function PartnerBadges({ partner }: { partner: Partner }) {
  return (
    <Badges>
      {partner.suspended && <Badge tone="bad">suspended</Badge>}
      {partner.certified_at ? <Badge tone="good">certified</Badge> : <Badge>not certified</Badge>}
    </Badges>
  );
}

type JudgedKey = Pick<Key, 'revoked_at' | 'disabled' | 'expires_at' | 'overlap_ends'>;

export function KeyBadge({ apiKey }: { apiKey: JudgedKey }) {
  if (apiKey.revoked_at) return <Badge tone="bad">revoked</Badge>;
  if (apiKey.disabled) return <Badge tone="warn">disabled</Badge>;
  if (apiKey.expires_at && Date.parse(apiKey.expires_at) <= Date.now()) {
    return <Badge tone="bad">expired</Badge>;
  }
  if (isRotating(apiKey, Date.now())) return <Badge tone="accent">rotating</Badge>;
  return <Badge tone="good">active</Badge>;
}

/** A partner does not see what others that share its midoffice have lost. */
type Judged = Pick<Midoffice, 'paused' | 'health'> & Partial<Pick<Midoffice, 'exhausted'>>;

export function MidofficeBadges({
  midoffice: { paused, health, exhausted = 0 },
}: {
  midoffice: Judged;
}) {
  return (
    <Badges>
      {paused && <StateBadge look={{ label: 'paused', tone: 'warn', Icon: PauseIcon }} />}
      {/* Nobody sends to a paused midoffice, so its last success says little. What was given up is not healthy. */}
      {!((paused || exhausted > 0) && health === 'healthy') && (
        <StateBadge look={healthStates[health] ?? { label: health }} />
      )}
      {exhausted > 0 && (
        <StateBadge
          look={{
            label: `${inDigits(exhausted)} exhausted`,
            tone: 'bad',
            Icon: CrossIcon,
          }}
        />
      )}
    </Badges>
  );
}

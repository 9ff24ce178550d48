/** The state of a record at a glance. */
import type { Delivery, Key, Midoffice, Partner } from '../api/types.ts';
import { Badge, Badges } from '../ui/text/Badge.tsx';
import { CheckIcon, ClockIcon, CrossIcon, PauseIcon, WarningIcon } from '../ui/text/icons.tsx';
import { overlapsOf } from './rotation.ts';

export function DeliveryBadge({
  delivery: { state, in_flight, attempts_made },
}: {
  delivery: Delivery;
}) {
  if (state === 'delivered') {
    return (
      <Badge tone="good">
        <CheckIcon /> delivered
      </Badge>
    );
  }
  if (state === 'exhausted') {
    return (
      <Badge tone="bad">
        <CrossIcon /> exhausted
      </Badge>
    );
  }
  if (state === 'cancelled') return <Badge>cancelled</Badge>;
  if (state === 'unrouted') return <Badge tone="warn">no midoffice</Badge>;
  if (in_flight) {
    return (
      <Badge tone="accent">
        <ClockIcon /> in flight
      </Badge>
    );
  }
  return (
    <Badge tone={attempts_made > 0 ? 'warn' : 'accent'}>
      <ClockIcon /> {attempts_made > 0 ? 'pending, retrying' : 'pending'}
    </Badge>
  );
}

export function PartnerBadges({ partner }: { partner: Partner }) {
  return (
    <Badges>
      {partner.suspended && <Badge tone="bad">suspended</Badge>}
      {partner.certified_at ? <Badge tone="good">certified</Badge> : <Badge>not certified</Badge>}
    </Badges>
  );
}

export function KeyBadge({ apiKey }: { apiKey: Key }) {
  if (apiKey.revoked_at) return <Badge tone="bad">revoked</Badge>;
  if (apiKey.disabled) return <Badge tone="warn">disabled</Badge>;
  if (apiKey.expires_at && Date.parse(apiKey.expires_at) <= Date.now()) {
    return <Badge tone="bad">expired</Badge>;
  }
  if (overlapsOf(apiKey, Date.now()).length > 0) return <Badge tone="accent">rotating</Badge>;
  return <Badge tone="good">active</Badge>;
}

export function MidofficeBadges({ midoffice }: { midoffice: Midoffice }) {
  return (
    <Badges>
      {midoffice.paused && (
        <Badge tone="warn">
          <PauseIcon /> paused
        </Badge>
      )}
      {midoffice.health === 'failing' && (
        <Badge tone="bad">
          <WarningIcon /> failing
        </Badge>
      )}
      {midoffice.health === 'untested' && <Badge>untested</Badge>}
      {!midoffice.paused && midoffice.health === 'healthy' && <Badge tone="good">healthy</Badge>}
    </Badges>
  );
}

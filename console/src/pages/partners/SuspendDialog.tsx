import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { announce } from '../../ui/page/announce.ts';

/** Suspends the partner, or lifts its suspension. */
export function SuspendDialog({ partner, onClose }: { partner: Partner; onClose(): void }) {
  const { call } = useEnvironment();
  const { id, name, suspended } = partner;
  return (
    <ConfirmDialog
      title={suspended ? 'Lift the suspension?' : 'Suspend this partner?'}
      submit={suspended ? 'Lift suspension' : 'Suspend'}
      asksReason
      onClose={onClose}
      onConfirm={async (reason) => {
        const body = { suspended: !suspended, ...(reason && { reason }) };
        await call('updatePartner', { id, body });
        announce(suspended ? 'The partner can make calls again.' : 'The partner is suspended.');
      }}
    >
      {suspended ? (
        <p>All keys of {name} work again within a second, except those that are disabled.</p>
      ) : (
        <p>
          Every call with any key of <strong>{name}</strong> is refused with{' '}
          <code>api_access_disabled</code> within a second.
        </p>
      )}
    </ConfirmDialog>
  );
}

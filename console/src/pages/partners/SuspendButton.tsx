/** Suspends a partner, or lifts its suspension. In production, it first says what that does, and asks why. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { EffectsNote } from '../../widgets/effects/EffectsNote.tsx';
import { useEffects } from '../../widgets/effects/use-effects.ts';
import { announceWithUndo } from '../../widgets/undo/undo.ts';

export function SuspendButton({ partner: { id, name, suspended } }: { partner: Partner }) {
  const { call, environment } = useEnvironment();
  const [asking, setAsking] = useState<'suspend' | 'lift'>();
  const close = () => setAsking(undefined);
  async function setSuspended(to: boolean, reason?: string): Promise<void> {
    await call('updatePartner', { id, body: { suspended: to, ...(reason && { reason }) } });
    if (!to) return announce('The partner can make calls again.');
    announceWithUndo('The partner is suspended.', {
      action: 'partner.update',
      subject: id,
      changes: [({ before, after }) => !before?.suspended && after?.suspended === true],
    });
  }
  const atOnce = useMutation({
    mutationFn: () => setSuspended(!suspended),
    onError: ({ message }) => announce(message, 'bad'),
  });
  return (
    <>
      <Button
        command={suspended ? 'Lift suspension' : 'Suspend partner'}
        busy={atOnce.isPending}
        onClick={() =>
          environment === 'production' ? setAsking(suspended ? 'lift' : 'suspend') : atOnce.mutate()
        }
      >
        {suspended ? 'Lift suspension' : 'Suspend'}
      </Button>
      {asking === 'lift' && (
        <ConfirmDialog
          title="Lift the suspension?"
          submit="Lift suspension"
          isHarmless
          asksReason
          onClose={close}
          onConfirm={(reason) => setSuspended(false, reason)}
        >
          <p>All keys of {name} work again within a second, except those that are disabled.</p>
        </ConfirmDialog>
      )}
      {asking === 'suspend' && (
        <ConfirmDialog
          title="Suspend this partner?"
          submit="Suspend"
          asksReason
          onClose={close}
          onConfirm={(reason) => setSuspended(true, reason)}
        >
          <p>
            Within a second, every call with any key of <strong>{name}</strong> is refused with{' '}
            <code>api_access_disabled</code>, and its people are signed out of the portal.
          </p>
          <EffectsOfSuspending id={id} />
        </ConfirmDialog>
      )}
    </>
  );
}

function EffectsOfSuspending({ id }: { id: string }) {
  const counted = useEffects(`suspend ${id}`, [
    (dryRun, signal) => dryRun('updatePartner', { id, body: { suspended: true } }, signal),
  ]);
  return <EffectsNote counted={counted} />;
}

/** Asks in production before an endpoint of a key is switched off, or its grant withdrawn. */
import { shortPath } from '../../../../server/src/base/catalogue.ts';
import type { EnvironmentCall } from '../../api/client.ts';
import type { Grant } from '../../api/types.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { EffectsNote } from '../../widgets/effects/EffectsNote.tsx';
import { useEffects } from '../../widgets/effects/use-effects.ts';
import { announceWithUndo } from '../../widgets/undo/undo.ts';

export interface SwitchingOff {
  grant: Grant;
  isWithdrawn: boolean;
}

export async function switchOff(
  call: EnvironmentCall,
  key_id: string,
  { grant, isWithdrawn }: SwitchingOff,
): Promise<void> {
  const { endpoint } = grant;
  const path = shortPath(endpoint);
  if (isWithdrawn) {
    await call('deleteGrant', { key_id, query: { endpoint } });
    announceWithUndo(`${path} is no longer granted.`, {
      action: 'key.withdraw',
      subject: key_id,
      changes: [({ before }) => before?.endpoint === endpoint],
    });
  } else {
    await call('putGrant', { key_id, body: { ...grant, is_active: false } });
    announceWithUndo(`${path} is switched off.`, {
      action: 'key.grant',
      subject: key_id,
      changes: [({ after }) => after?.endpoint === endpoint && after.is_active === false],
    });
  }
}

interface Props {
  keyId: string;
  switching: SwitchingOff;
  onConfirm(): Promise<void>;
  onClose(): void;
}

export function SwitchOffDialog({ keyId: key_id, switching, onConfirm, onClose }: Props) {
  const { grant, isWithdrawn } = switching;
  const { endpoint } = grant;
  const path = shortPath(endpoint);
  const counted = useEffects(`${isWithdrawn} ${key_id} ${endpoint}`, [
    (dryRun, signal) =>
      isWithdrawn
        ? dryRun('deleteGrant', { key_id, query: { endpoint } }, signal)
        : dryRun('putGrant', { key_id, body: { ...grant, is_active: false } }, signal),
  ]);
  return (
    <ConfirmDialog
      title={isWithdrawn ? `Withdraw ${path}?` : `Switch ${path} off?`}
      submit={isWithdrawn ? 'Withdraw' : 'Switch off'}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>
        Within a second, every call of it with key {key_id} is refused with{' '}
        <code>{isWithdrawn ? 'endpoint_not_found' : 'endpoint_not_active'}</code>.
      </p>
      <EffectsNote counted={counted} />
    </ConfirmDialog>
  );
}

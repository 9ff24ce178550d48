/** Disables a key, or enables it again. In production, it first says how many calls that refuses. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { EffectsOfDisabling } from '../../widgets/effects/EffectsOfDisabling.tsx';
import { announceWithUndo } from '../../widgets/undo/undo.ts';

export function DisableButton({ apiKey: { key_id, disabled } }: { apiKey: Key }) {
  const { call, environment } = useEnvironment();
  const [isAsking, setAsking] = useState(false);
  async function setDisabled(to: boolean): Promise<void> {
    await call('updateKey', { key_id, body: { disabled: to } });
    if (!to) return announce('The key works again.');
    announceWithUndo('The key is disabled.', {
      action: 'key.update',
      subject: key_id,
      changes: [({ before, after }) => !before?.disabled && after?.disabled === true],
    });
  }
  const atOnce = useMutation({
    mutationFn: () => setDisabled(!disabled),
    onError: ({ message }) => announce(message, 'bad'),
  });
  const asks = environment === 'production' && !disabled;
  return (
    <>
      <Button
        command={disabled ? 'Enable key' : 'Disable key'}
        busy={atOnce.isPending}
        onClick={() => (asks ? setAsking(true) : atOnce.mutate())}
      >
        {disabled ? 'Enable' : 'Disable'}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Disable this key?"
          submit="Disable key"
          onClose={() => setAsking(false)}
          onConfirm={() => setDisabled(true)}
        >
          <p>
            Within a second, every call with it is refused with <code>api_access_disabled</code>,
            until somebody enables it again.
          </p>
          <EffectsOfDisabling keyId={key_id} />
        </ConfirmDialog>
      )}
    </>
  );
}

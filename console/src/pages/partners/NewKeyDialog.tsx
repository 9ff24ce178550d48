/** Creates a key for a partner and then shows its API key, once. */
import { useState } from 'react';
import type { KeyWithSecret, Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { KeyDialog } from '../../widgets/KeyDialog.tsx';
import { KeySecretDialog } from '../../widgets/KeySecretDialog.tsx';

export function NewKeyDialog({ partner, onClose }: { partner: Partner; onClose(): void }) {
  const { call, environment } = useEnvironment();
  const [created, setCreated] = useState<KeyWithSecret>();
  if (created) return <KeySecretDialog title="The new key" apiKey={created} onClose={onClose} />;
  return (
    <KeyDialog
      title={`New ${environment} key for ${partner.name}`}
      submit="Create key"
      onClose={onClose}
      save={(fields) => call('createKey', { id: partner.id, body: fields })}
      onSaved={(key) => setCreated(key)}
    >
      <p className={fieldStyles.hint}>
        The key gets all 43 endpoints with the default limits. Change them on the key's page.
      </p>
    </KeyDialog>
  );
}

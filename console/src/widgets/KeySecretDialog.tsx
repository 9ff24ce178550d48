import type { KeyWithSecret } from '../api/types.ts';
import { SecretDialog } from '../ui/dialogs/SecretDialog.tsx';

interface Props {
  title: string;
  apiKey: KeyWithSecret;
  onClose(): void;
}

/** The API key of a new or rotated key, which nobody can read again. */
export function KeySecretDialog({ title, apiKey, onClose }: Props) {
  return (
    <SecretDialog
      title={title}
      advice="The API key is shown only once. Send it to the partner over a secure channel."
      lines={[
        ['Key id', apiKey.key_id],
        ['API key', apiKey.api_key],
      ]}
      onClose={onClose}
    />
  );
}

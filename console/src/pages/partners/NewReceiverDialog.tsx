import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { announce } from '../../ui/page/announce.ts';
import { MidofficeDialog } from '../midoffices/MidofficeDialog.tsx';

interface Props {
  partner: Partner;
  /** The key that signs, unless another is chosen. */
  keyId: string;
  onClose(): void;
}

/** Registers a midoffice that signs with the partner's key, and sends the partner's webhooks there. */
export function NewReceiverDialog({ partner, keyId, onClose }: Props) {
  const { call, environment } = useEnvironment();
  return (
    <MidofficeDialog
      title={`New ${environment} midoffice for ${partner.name}`}
      submit="Create midoffice"
      initial={{ name: `${partner.name} midoffice`.slice(0, 200), signingKeyId: keyId }}
      onClose={onClose}
      onSave={async (fields) => {
        const { id, name } = await call('createMidoffice', { body: fields });
        await call('updatePartner', { id: partner.id, body: { midoffice_id: id } });
        announce(`Webhooks now go to ${name}.`);
        onClose();
      }}
    />
  );
}

import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { TextDialog } from '../../ui/dialogs/TextDialog.tsx';
import { announce } from '../../ui/page/announce.ts';
import textStyles from '../../ui/text/text.module.css';

/** Records that the partner has completed certification. */
export function CertifyDialog({ partner, onClose }: { partner: Partner; onClose(): void }) {
  const { call } = useEnvironment();
  return (
    <TextDialog
      title={`Record the certification of ${partner.name}`}
      submit="Record certification"
      label="Reference"
      hint="Where the certification is documented, such as a ticket or a report."
      field="reference"
      onSave={async (reference) => {
        const { name } = await call('certifyPartner', { id: partner.id, body: { reference } });
        announce(`${name} is certified.`);
      }}
      onClose={onClose}
    >
      <p className={textStyles.prose}>
        Records that the partner has completed certification. After that, its limits can be raised.
      </p>
    </TextDialog>
  );
}

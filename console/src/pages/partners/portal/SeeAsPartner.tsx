/** Shows the portal to support as the partner sees it. Browsers open no new tab after a reply, so a link does. */
import { useMutation } from '@tanstack/react-query';
import type { Partner } from '../../../api/types.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import buttonStyles from '../../../ui/forms/Button.module.css';
import { Button } from '../../../ui/forms/Button.tsx';
import formStyles from '../../../ui/forms/Form.module.css';
import { ProblemNote } from '../../../ui/page/ProblemNote.tsx';
import { classes } from '../../../ui/text/classes.ts';
import textStyles from '../../../ui/text/text.module.css';

export function SeeAsPartner({ partner }: { partner: Partner }) {
  const { call } = useEnvironment();
  const preview = useMutation({
    mutationFn: () => call('createPortalPreview', { id: partner.id }),
  });
  const isOpen = preview.isSuccess || preview.isError;
  return (
    <>
      <Button busy={preview.isPending} onClick={() => preview.mutate()}>
        See as the partner
      </Button>
      {isOpen && (
        <Dialog title={`The portal as ${partner.name} sees it`} open onClose={preview.reset}>
          {preview.error && <ProblemNote problem={preview.error} />}
          {preview.data && (
            <>
              <p className={textStyles.prose}>
                You can look at everything and change nothing. The audit and the partner's activity
                record it. The link works once, within 5 minutes.
              </p>
              <div className={formStyles.buttons} data-form-buttons>
                <Button onClick={preview.reset}>Close</Button>
                <a
                  className={classes(buttonStyles.button, buttonStyles.primary)}
                  href={preview.data.url}
                  target="_blank"
                  rel="noopener noreferrer"
                  onClick={() => setTimeout(preview.reset)}
                >
                  Open the portal
                </a>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}

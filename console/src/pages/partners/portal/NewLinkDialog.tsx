/** Makes a link with which somebody at a partner signs in to the portal, and then shows it, once. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { portalScopes } from '../../../../../server/src/config/portal-scopes.ts';
import type { Partner, PortalLinkWithUrl, PortalScope } from '../../../api/types.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { SecretDialog } from '../../../ui/dialogs/SecretDialog.tsx';
import { Checks } from '../../../ui/forms/Checks.tsx';
import { ExpiryField } from '../../../ui/forms/ExpiryField.tsx';
import { Form } from '../../../ui/forms/Form.tsx';
import { exactTime } from '../../../ui/text/times.ts';
import { chosenScopes, scopeWords } from './scopes.ts';

/** 15 minutes, an hour, a day and 7 days, which is the longest. */
const usualLives = [900, 3_600, 86_400, 7 * 86_400];
/** As for people who sign in with a key. */
const usualScopes: readonly PortalScope[] = ['read', 'redeliver'];

interface Props {
  partner: Partner;
  onClose(): void;
}

export function NewLinkDialog({ partner, onClose }: Props) {
  const { call } = useEnvironment();
  const [scopes, setScopes] = useState(usualScopes);
  const [life, setLife] = useState({ after: 900 });
  const [made, setMade] = useState<PortalLinkWithUrl>();
  const create = useMutation({
    mutationFn: () =>
      call('createPortalLink', {
        id: partner.id,
        body: { scopes: [...scopes], expires_in_seconds: life.after },
      }),
    onSuccess: (link) => setMade(link),
  });
  if (made) {
    return (
      <SecretDialog
        title={`Portal link for ${partner.name}`}
        advice={`The link is shown only once. Send it to the person at ${partner.name} who is to sign in. It works once, until ${exactTime(made.expires_at)}.`}
        lines={[['Link', made.url]]}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={`New portal link for ${partner.name}`} open onClose={onClose}>
      <Form
        submit="Make link"
        busy={create.isPending}
        problem={create.error}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
      >
        <Checks
          legend="The person who uses it may"
          options={portalScopes.map((scope) => ({
            value: scope,
            label: scopeWords[scope].meaning,
            isFixed: scope === 'read',
          }))}
          value={scopes}
          onChange={(next) => setScopes(chosenScopes((scope) => next.includes(scope)))}
        />
        <ExpiryField
          legend="The link expires"
          presets={usualLives}
          value={life}
          onChange={setLife}
        />
      </Form>
    </Dialog>
  );
}

/** Makes a link with which somebody at a partner signs in to the portal. It is shown once, or mailed to a contact. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { portalScopes } from '../../../../../server/src/base/config/portal-scopes.ts';
import type { CreatedPortalLink, Partner, PortalScope } from '../../../api/types.ts';
import { useLiveQuery } from '../../../api/use-live-query.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { Dialog } from '../../../ui/dialogs/Dialog.tsx';
import { SecretDialog } from '../../../ui/dialogs/SecretDialog.tsx';
import { Button } from '../../../ui/forms/Button.tsx';
import { Checks } from '../../../ui/forms/Checks.tsx';
import { Choices } from '../../../ui/forms/Choices.tsx';
import { ExpiryField } from '../../../ui/forms/ExpiryField.tsx';
import formStyles from '../../../ui/forms/Form.module.css';
import { Form } from '../../../ui/forms/Form.tsx';
import { exactTime } from '../../../ui/text/times.ts';
import { chosenScopes, scopeWords } from './scopes.ts';

/** 15 minutes, an hour, a day and 7 days, which is the longest. */
const usualLives = [900, 3_600, 86_400, 7 * 86_400];
const LONGEST_MAILED_SECONDS = 86_400;
/** In place of a contact. */
const COPY = '';
/** As for people who sign in with a key. */
const usualScopes: readonly PortalScope[] = ['read', 'redeliver'];

interface Props {
  partner: Partner;
  onClose(): void;
}

export function NewLinkDialog({ partner, onClose }: Props) {
  const { call, queries } = useEnvironment();
  const { data: known } = useLiveQuery(queries.contacts(partner.id));
  const [recipient, setRecipient] = useState(COPY);
  const [scopes, setScopes] = useState(usualScopes);
  const [life, setLife] = useState({ after: 900 });
  const [made, setMade] = useState<CreatedPortalLink>();
  const create = useMutation({
    mutationFn: () =>
      call('createPortalLink', {
        id: partner.id,
        body: {
          scopes: [...scopes],
          expires_in_seconds: life.after,
          ...(recipient !== COPY && { recipient }),
        },
      }),
    onSuccess: (link) => setMade(link),
  });
  const mailable = (known?.contacts ?? [])
    .filter(({ confirmed_at }) => known?.sends_mail && confirmed_at !== null)
    .map(({ email }) => ({ value: email, label: `Mail it to ${email}` }));
  const longest = recipient === COPY ? Number.POSITIVE_INFINITY : LONGEST_MAILED_SECONDS;
  const lives = usualLives.filter((seconds) => seconds <= longest);
  if (made?.mailed_to) return <MailedDialog partner={partner} link={made} onClose={onClose} />;
  if (made?.url) {
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
        <ExpiryField legend="The link expires" presets={lives} value={life} onChange={setLife} />
        {mailable.length > 0 && (
          <Choices
            legend="How the person gets it"
            stacked
            options={[{ value: COPY, label: 'Copy it here' }, ...mailable]}
            value={recipient}
            onChange={(next) => {
              setRecipient(next);
              if (next !== COPY) setLife({ after: Math.min(life.after, LONGEST_MAILED_SECONDS) });
            }}
          />
        )}
      </Form>
    </Dialog>
  );
}

function MailedDialog({ partner, link, onClose }: Props & { link: CreatedPortalLink }) {
  return (
    <Dialog title={`Portal link for ${partner.name}`} open onClose={onClose}>
      <p>
        The link is mailed to <strong>{link.mailed_to}</strong>. It works once, until{' '}
        {exactTime(link.expires_at)}. Open links, under Portal, say what became of the mail.
      </p>
      <div className={formStyles.buttons} data-form-buttons>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

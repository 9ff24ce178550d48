/** Grants the limit that a partner asked for, or refuses it, beside what the key has used. */
import { letsMoreThrough } from '@bellhop/rules/raise';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { shortPath } from '../../../../server/src/base/catalogue.ts';
import { fieldError } from '../../api/problem.ts';
import type { LimitAnswer, LimitRequest } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { announce } from '../../ui/page/announce.ts';
import textStyles from '../../ui/text/text.module.css';
import { LimitTrial } from '../../widgets/LimitTrial.tsx';
import { asLimit } from '../../widgets/limit-words.ts';
import { useName } from '../../widgets/use-name.ts';
import { approvalError, NotCertified, ReferenceField } from '../keys/Approval.tsx';
import { defaultOf } from '../keys/default-grant.ts';
import { PeakNote } from '../keys/PeakNote.tsx';

const LONGEST_TEXT = 2_000;

export function AnswerDialog({ request, onClose }: { request: LimitRequest; onClose(): void }) {
  const { call, environment, queries } = useEnvironment();
  const { id, key_id, endpoint, partner_id, requests_number, seconds_number, reason } = request;
  const name = useName('partners', partner_id);
  const { data: partner } = useLiveQuery(queries.partner(partner_id));
  const { data: grants } = useLiveQuery(queries.grants(key_id));
  const [answer, setAnswer] = useState<'grant' | 'refuse'>('grant');
  const [reference, setReference] = useState('');
  const [text, setText] = useState('');
  const isGrant = answer === 'grant';
  const send = useMutation({
    mutationFn: (body: LimitAnswer) => call('answerLimitRequest', { id, body }),
    onSuccess: ({ state }) => {
      announce(state === 'granted' ? 'The limit is granted.' : 'The request is refused.');
      onClose();
    },
  });

  const asked = asLimit(request);
  const grant = grants?.items.find((one) => one.endpoint === endpoint);
  const { code } = send.error ?? {};
  const raises =
    environment === 'production' &&
    grants !== undefined &&
    letsMoreThrough(grant ?? defaultOf({ endpoint }), asked);
  const isUncertified =
    isGrant && (code === 'certification_required' || (raises && partner?.certified_at === null));
  const needsReference = isGrant && !isUncertified && (raises || code === 'approval_required');
  const textError = fieldError(send.error, 'text');
  const isShown = isUncertified || textError || (needsReference && approvalError(send.error));
  return (
    <Dialog title={`${shortPath(endpoint)} for ${name}, key ${key_id}`} open onClose={onClose}>
      <Form
        submit={isGrant ? 'Grant the limit' : 'Refuse'}
        busy={send.isPending}
        disabled={
          isGrant
            ? isUncertified || (needsReference && reference.trim() === '')
            : text.trim() === ''
        }
        problem={isShown ? undefined : send.error}
        onSubmit={() =>
          send.mutate({
            granted: isGrant,
            ...(needsReference && { approval_reference: reference.trim() }),
            ...(text.trim() && { text: text.trim() }),
          })
        }
        onCancel={onClose}
      >
        <p className={textStyles.wrap}>“{reason}”</p>
        <PeakNote keyId={key_id} grant={grant} asked={{ ...asked, endpoint }} />
        <LimitTrial
          limit={request}
          sourceOf={() => queries.limitTrial(key_id, { endpoint, requests_number, seconds_number })}
        />
        <Choices
          legend="Answer"
          options={[
            { value: 'grant', label: 'Grant it' },
            { value: 'refuse', label: 'Refuse it' },
          ]}
          value={answer}
          onChange={setAnswer}
        />
        {isUncertified && partner && (
          <NotCertified partner={partner}>This lets more through than now.</NotCertified>
        )}
        {needsReference && (
          <ReferenceField value={reference} onChange={setReference} problem={send.error} />
        )}
        <Field
          label={isGrant ? 'Text for the partner (optional)' : 'Text for the partner'}
          hint="The partner reads it in the portal."
          error={textError}
        >
          {(props) => (
            <textarea
              {...props}
              rows={2}
              maxLength={LONGEST_TEXT}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}

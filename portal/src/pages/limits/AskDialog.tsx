/** Asks API support for another limit, beside how it would have done in the last days. */
import { pathOf } from '@bellhop/rules/endpoint-path';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import {
  LimitFields,
  numbersOf,
  typedLimit,
} from '../../../../console/src/widgets/LimitFields.tsx';
import { LimitTrial } from '../../../../console/src/widgets/LimitTrial.tsx';
import { limitInWords } from '../../../../console/src/widgets/limit-words.ts';
import type { Limit, NewLimitRequest } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const LONGEST_REASON = 2_000;

interface Props {
  keyId: string;
  limit: Limit;
  onClose(): void;
}

export function AskDialog({ keyId, limit, onClose }: Props) {
  const { call, queries } = useView();
  const { limits: said } = words;
  const { endpoint } = limit;
  const [typed, setTyped] = useState(typedLimit(limit));
  const [reason, setReason] = useState('');
  const ask = useMutation({
    mutationFn: (body: NewLimitRequest) => call('askForLimit', { body }),
    onSuccess: () => {
      announce(said.asked);
      onClose();
    },
  });
  const numbers = numbersOf(typed);
  const isAsIs =
    numbers?.requests_number === limit.requests_number &&
    numbers.seconds_number === limit.seconds_number;
  const errors = {
    calls: fieldError(ask.error, 'requests_number'),
    seconds: fieldError(ask.error, 'seconds_number'),
  };
  const reasonError = fieldError(ask.error, 'reason');
  const isAtField = errors.calls ?? errors.seconds ?? reasonError;
  return (
    <Dialog title={said.askTitle(pathOf(endpoint))} open onClose={onClose}>
      <Form
        submit={said.askSubmit}
        busy={ask.isPending}
        disabled={!numbers || isAsIs || reason.trim() === ''}
        problem={isAtField ? undefined : ask.error}
        onSubmit={() =>
          numbers && ask.mutate({ key_id: keyId, endpoint, ...numbers, reason: reason.trim() })
        }
        onCancel={onClose}
      >
        <p>{said.askText(limitInWords(limit))}</p>
        <LimitFields value={typed} onChange={setTyped} errors={errors} />
        <LimitTrial
          limit={numbers}
          sourceOf={(tried) => queries.limitTrial(keyId, { endpoint, ...tried })}
        />
        <Field label={said.reason} hint={said.reasonHint} error={reasonError}>
          {(props) => (
            <textarea
              {...props}
              rows={3}
              maxLength={LONGEST_REASON}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}

/** Makes a new API key for the same key id. The old one keeps working for a chosen time. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import type { Key, KeyWithSecret } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { Note } from '../../ui/page/Note.tsx';
import textStyles from '../../ui/text/text.module.css';
import { exactTime } from '../../ui/text/times.ts';
import { overlapEnd } from '../../widgets/rotation.ts';

const overlaps = [
  { value: 0, label: 'None' },
  { value: 3_600, label: '1 hour' },
  { value: 86_400, label: '1 day' },
  { value: 3 * 86_400, label: '3 days' },
  { value: 7 * 86_400, label: '7 days' },
  { value: 30 * 86_400, label: '30 days' },
];

interface Props {
  apiKey: Key;
  onRotated(key: KeyWithSecret): void;
  onClose(): void;
}

export function RotateDialog({ apiKey, onRotated, onClose }: Props) {
  const { api } = useEnvironment();
  const [seconds, setSeconds] = useState(86_400);
  const rotate = useMutation({
    mutationFn: () => api.keys.rotate(apiKey.key_id, seconds),
    onSuccess: (withSecret) => onRotated(withSecret),
  });
  const overlapError = fieldError(rotate.error, 'overlap_seconds');
  const until = new Date(Date.now() + seconds * 1_000).toISOString();
  return (
    <Dialog title={`Rotate key ${apiKey.key_id}`} open onClose={onClose}>
      <Form
        submit="Rotate key"
        busy={rotate.isPending}
        danger={seconds === 0}
        problem={rotate.error}
        onSubmit={() => rotate.mutate()}
        onCancel={onClose}
      >
        <Choices
          legend="How long does the old API key keep working?"
          options={overlaps}
          value={seconds}
          onChange={setSeconds}
        >
          {overlapError && <p className={fieldStyles.error}>{overlapError}</p>}
        </Choices>
        {seconds === 0 ? (
          <Note kind="warn">
            The old API key stops working at once. Calls are refused until the partner has put the
            new one on all its machines.
          </Note>
        ) : (
          <p className={textStyles.prose}>
            Both API keys work until <strong>{exactTime(until)}</strong>. Until then, webhooks carry
            signatures of both.
          </p>
        )}
        {overlapEnd(apiKey, Date.now()) && (
          <Note kind="warn">
            {seconds === 0
              ? 'An earlier rotation still overlaps. Its old API key stops at once, too.'
              : 'An earlier rotation still overlaps. Its old API key works until its own overlap ends.'}
          </Note>
        )}
      </Form>
    </Dialog>
  );
}

/** A new API key under the same key id; the old one works on for a while that one picks. */
import { useState } from 'react';
import { useAction } from '../action.ts';
import { useDesk } from '../desk.tsx';
import type { Key, KeyWithSecret } from '../model.ts';
import { fieldError } from '../problem.ts';
import { overlapEnd } from '../rotation.ts';
import { exactTime } from '../times.ts';
import { Dialog } from './Dialog.tsx';
import { Form } from './Form.tsx';
import { Note } from './Note.tsx';

const overlaps: readonly [seconds: number, title: string][] = [
  [0, 'None'],
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [3 * 86_400, '3 days'],
  [7 * 86_400, '7 days'],
  [30 * 86_400, '30 days'],
];

interface Props {
  apiKey: Key;
  onRotated(key: KeyWithSecret): void;
  onClose(): void;
}

export function RotateDialog({ apiKey, onRotated, onClose }: Props) {
  const { api } = useDesk();
  const [seconds, setSeconds] = useState(86_400);
  const rotate = useAction(async () => onRotated(await api.keys.rotate(apiKey.key_id, seconds)));
  const until = new Date(Date.now() + seconds * 1_000).toISOString();
  return (
    <Dialog title={`Rotate key ${apiKey.key_id}`} open onClose={onClose}>
      <Form
        submit="Rotate key"
        busy={rotate.busy}
        danger={seconds === 0}
        problem={rotate.problem}
        onSubmit={() => void rotate.run()}
        onCancel={onClose}
      >
        <fieldset className="choices">
          <legend>How long does the old API key work on?</legend>
          <div className="choices-row">
            {overlaps.map(([value, title]) => (
              <label key={value} className="choice">
                <input
                  type="radio"
                  name="overlap"
                  checked={seconds === value}
                  onChange={() => setSeconds(value)}
                />
                {title}
              </label>
            ))}
          </div>
          {fieldError(rotate.problem, 'overlap_seconds') && (
            <p className="field-error">{fieldError(rotate.problem, 'overlap_seconds')}</p>
          )}
        </fieldset>
        {seconds === 0 ? (
          <Note kind="warn">
            The old API key stops at once. Every call with it is refused until the partner has
            brought the new one to all its machines.
          </Note>
        ) : (
          <p className="prose">
            Both keys work until <strong>{exactTime(until)}</strong>. Webhooks carry signatures of
            both until then.
          </p>
        )}
        {overlapEnd(apiKey, Date.now()) && (
          <Note kind="warn">
            An earlier rotation still overlaps. Its old API key stops as soon as this one is made.
          </Note>
        )}
      </Form>
    </Dialog>
  );
}

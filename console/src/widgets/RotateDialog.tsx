/** Makes a new API key for the same key id. The old one keeps working for a chosen time. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { Key, KeyWithSecret, Rotation } from '../api/types.ts';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Choices } from '../ui/forms/Choices.tsx';
import fieldStyles from '../ui/forms/Field.module.css';
import { Form } from '../ui/forms/Form.tsx';
import { Toggle } from '../ui/forms/Toggle.tsx';
import { Note } from '../ui/page/Note.tsx';
import { useNow } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { exactTime } from '../ui/text/times.ts';
import { earlierKeysWork, Overlaps } from './Overlaps.tsx';
import { overlapsOf } from './rotation.ts';

/** Times that move every second would only distract. */
const REFRESH_MS = 30_000;
const overlapChoices = [
  { value: 0, label: 'None' },
  { value: 3_600, label: '1 hour' },
  { value: 86_400, label: '1 day' },
  { value: 3 * 86_400, label: '3 days' },
  { value: 7 * 86_400, label: '7 days' },
  { value: 30 * 86_400, label: '30 days' },
];

interface Props {
  apiKey: Key;
  rotate(how: Rotation): Promise<KeyWithSecret>;
  onRotated(key: KeyWithSecret): void;
  onClose(): void;
}

export function RotateDialog({ apiKey, rotate: makeNew, onRotated, onClose }: Props) {
  const now = useNow(REFRESH_MS);
  const earlier = overlapsOf(apiKey, now);
  const [seconds, setSeconds] = useState(86_400);
  const [chosenEnd, setChosenEnd] = useState<boolean>();
  // Someone who wants no overlap usually wants every earlier API key gone.
  const endsEarlier = chosenEnd ?? seconds === 0;
  const rotate = useMutation({
    mutationFn: () => makeNew({ overlap_seconds: seconds, end_overlaps: endsEarlier }),
    onSuccess: (withSecret) => onRotated(withSecret),
  });
  const overlapError = fieldError(rotate.error, 'overlap_seconds');
  const isTooMany = rotate.error?.code === 'too_many_overlaps';
  return (
    <Dialog title={`Rotate key ${apiKey.key_id}`} open onClose={onClose}>
      <Form
        submit="Rotate key"
        busy={rotate.isPending}
        danger={seconds === 0 || (endsEarlier && earlier.length > 0)}
        problem={overlapError || isTooMany ? undefined : rotate.error}
        onSubmit={() => rotate.mutate()}
        onCancel={onClose}
      >
        <Choices
          legend="How long does the current API key keep working?"
          options={overlapChoices}
          value={seconds}
          onChange={setSeconds}
        >
          {overlapError && <p className={fieldStyles.error}>{overlapError}</p>}
        </Choices>
        {seconds === 0 ? (
          <Note kind="warn">
            The current API key stops working at once. Calls with it are refused until the new one
            is installed on all machines.
          </Note>
        ) : (
          <p className={textStyles.prose}>
            The current and the new API key both work until{' '}
            <strong>{exactTime(new Date(now + seconds * 1_000).toISOString())}</strong>. Until then,
            webhooks carry the signatures of both.
          </p>
        )}
        {earlier.length > 0 && (
          <EarlierKeys ends={earlier} areEnded={endsEarlier} onEnd={setChosenEnd} />
        )}
        {isTooMany && (
          <Note kind="bad">
            No more API keys can overlap. End the earlier ones now, choose no overlap, or wait until
            one of them has ended.
          </Note>
        )}
      </Form>
    </Dialog>
  );
}

interface EarlierKeysProps {
  ends: string[];
  areEnded: boolean;
  onEnd(ended: boolean): void;
}

function EarlierKeys({ ends, areEnded, onEnd }: EarlierKeysProps) {
  const isOne = ends.length === 1;
  return (
    <>
      <Note kind={areEnded ? 'warn' : 'plain'}>
        <p>
          {earlierKeysWork(ends.length)}{' '}
          {areEnded
            ? `${isOne ? 'It stops' : 'They stop'} at once, before the time that was set:`
            : `${isOne ? 'It keeps' : 'They keep'} working:`}
        </p>
        <Overlaps ends={ends} />
      </Note>
      <Toggle
        label={isOne ? 'End the earlier API key now' : 'End the earlier API keys now'}
        checked={areEnded}
        onChange={onEnd}
      />
    </>
  );
}

/** Makes a new API key for the same key id. The old one keeps working for a chosen time. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { ApiKeyInForce, Key, KeyWithSecret, Rotation } from '../api/types.ts';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Choices } from '../ui/forms/Choices.tsx';
import fieldStyles from '../ui/forms/Field.module.css';
import { Form } from '../ui/forms/Form.tsx';
import { Toggle } from '../ui/forms/Toggle.tsx';
import { Note } from '../ui/page/Note.tsx';
import { lastingOf } from '../ui/text/durations.ts';
import { useNow } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { exactTime } from '../ui/text/times.ts';
import { ApiKeyList, earlierKeysWork } from './ApiKeyList.tsx';
import { stillWorking } from './rotation.ts';

/** Times that move every second would only distract. */
const REFRESH_MS = 30_000;
const overlapChoices = [0, 3_600, ...[1, 3, 7, 30].map((days) => days * 86_400)].map((seconds) => ({
  value: seconds,
  label: seconds === 0 ? 'None' : lastingOf(seconds),
}));

interface Props {
  apiKey: Pick<Key, 'key_id'>;
  /** The API keys that it works with now. */
  inForce: readonly ApiKeyInForce[];
  rotate(how: Rotation): Promise<KeyWithSecret>;
  onRotated(key: KeyWithSecret): void;
  onClose(): void;
}

export function RotateDialog({ apiKey, inForce, rotate: makeNew, onRotated, onClose }: Props) {
  const now = useNow(REFRESH_MS);
  const earlier = stillWorking(inForce, now).filter(({ is_current }) => !is_current);
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
          <EarlierKeys earlier={earlier} areEnded={endsEarlier} onEnd={setChosenEnd} />
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
  earlier: readonly ApiKeyInForce[];
  areEnded: boolean;
  onEnd(ended: boolean): void;
}

function EarlierKeys({ earlier, areEnded, onEnd }: EarlierKeysProps) {
  const isOne = earlier.length === 1;
  return (
    <>
      <Note kind={areEnded ? 'warn' : 'plain'}>
        <p>
          {earlierKeysWork(earlier.length)}{' '}
          {areEnded
            ? `${isOne ? 'It stops' : 'They stop'} at once, before the time that was set:`
            : `${isOne ? 'It keeps' : 'They keep'} working:`}
        </p>
        <ApiKeyList label="Earlier API keys" apiKeys={earlier} />
      </Note>
      <Toggle
        label={isOne ? 'End the earlier API key now' : 'End the earlier API keys now'}
        checked={areEnded}
        onChange={onEnd}
      />
    </>
  );
}

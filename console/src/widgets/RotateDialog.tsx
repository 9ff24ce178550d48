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
import { words } from '../words/words.ts';
import { ApiKeyList } from './ApiKeyList.tsx';
import { stillWorking } from './rotation.ts';

/** Times that move every second would only distract. */
const REFRESH_MS = 30_000;
const overlapChoices = [0, 3_600, ...[1, 3, 7, 30].map((days) => days * 86_400)].map((seconds) => ({
  value: seconds,
  label: seconds === 0 ? words.rotation.noOverlap : lastingOf(seconds),
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
    <Dialog title={words.rotation.title(apiKey.key_id)} open onClose={onClose}>
      <Form
        submit={words.rotation.submit}
        busy={rotate.isPending}
        danger={seconds === 0 || (endsEarlier && earlier.length > 0)}
        problem={overlapError || isTooMany ? undefined : rotate.error}
        onSubmit={() => rotate.mutate()}
        onCancel={onClose}
      >
        <Choices
          legend={words.rotation.overlap}
          options={overlapChoices}
          value={seconds}
          onChange={setSeconds}
        >
          {overlapError && <p className={fieldStyles.error}>{overlapError}</p>}
        </Choices>
        {seconds === 0 ? (
          <Note kind="warn">{words.rotation.atOnce}</Note>
        ) : (
          <p className={textStyles.prose}>
            {words.rotation.bothWork(
              <strong>{exactTime(new Date(now + seconds * 1_000).toISOString())}</strong>,
            )}
          </p>
        )}
        {earlier.length > 0 && (
          <EarlierKeys earlier={earlier} areEnded={endsEarlier} onEnd={setChosenEnd} />
        )}
        {isTooMany && <Note kind="bad">{words.rotation.tooMany}</Note>}
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
  const { earlierStop, earlierKeep, endEarlier } = words.rotation;
  return (
    <>
      <Note kind={areEnded ? 'warn' : 'plain'}>
        <p>{areEnded ? earlierStop(earlier.length) : earlierKeep(earlier.length)}</p>
        <ApiKeyList label={words.rotation.earlier} apiKeys={earlier} />
      </Note>
      <Toggle label={endEarlier(earlier.length)} checked={areEnded} onChange={onEnd} />
    </>
  );
}

/** Where a key may be used from. Leaving out the address that one sits at is asked twice. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { Note } from '../../../../console/src/ui/page/Note.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { clockTime } from '../../../../console/src/ui/text/times.ts';
import type { OwnKey } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const ASKS_TWICE = 'own_address_excluded';
const HOUR_MS = 3_600_000;

export function AllowListDialog({ apiKey, onClose }: { apiKey: OwnKey; onClose(): void }) {
  const { call, environment } = useView();
  const { key_id } = apiKey;
  // The page behind goes on reading it.
  const [before] = useState(apiKey.allowed_ips);
  const [text, setText] = useState((before ?? []).join('\n'));
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  const isNarrower = lines.length > 0 && !before?.every((one) => lines.includes(one));
  const undo = useMutation({
    mutationFn: async (saved: string[] | null) => {
      const now = await call('getKey', { key_id });
      if (String(now.allowed_ips) !== String(saved)) {
        return announce(words.keys.allowChanged, 'bad');
      }
      const body = { allowed_ips: before, exclude_own_address: true };
      await call('updateKey', { key_id, body });
      announce(words.keys.allowUndone);
    },
    onError: ({ message }) => announce(message, 'bad'),
  });
  const save = useMutation({
    mutationFn: async (isMeant: boolean) => {
      const allowed_ips = lines.length > 0 ? lines : null;
      const body = { allowed_ips, ...(isMeant && { exclude_own_address: true }) };
      const saved = await call('updateKey', { key_id, body });
      // Without its own address, a session with this key could not undo it.
      const canUndo = !isMeant;
      announce(
        words.keys.allowSaved,
        'good',
        canUndo ? () => undo.mutate(saved.allowed_ips) : undefined,
      );
    },
    onSuccess: onClose,
  });
  const isAsked = save.error?.code === ASKS_TWICE;
  const error = fieldError(save.error, 'allowed_ips');
  return (
    <Dialog title={words.keys.allowTitle} open onClose={onClose}>
      <Form
        submit={isAsked ? words.keys.allowAnyway : words.keys.allowSubmit}
        danger={isAsked}
        busy={save.isPending}
        problem={error ? undefined : save.error}
        onSubmit={() => save.mutate(isAsked)}
        onCancel={onClose}
      >
        <Field label={words.keys.allowLabel} hint={words.keys.allowHint} error={error}>
          {(props) => (
            <textarea
              {...props}
              className={textStyles.mono}
              rows={6}
              spellCheck={false}
              value={text}
              onChange={(event) => {
                save.reset();
                setText(event.target.value);
              }}
            />
          )}
        </Field>
        {environment === 'production' && isNarrower && <CallsOfKey keyId={key_id} />}
      </Form>
    </Dialog>
  );
}

/** Where its calls came from is not counted, so nobody knows which of them the list would refuse. */
function CallsOfKey({ keyId }: { keyId: string }) {
  const { queries } = useView();
  const { data, problem } = useLiveQuery(queries.history(keyId, 'hour'));
  const hourMs = startOfHour(Date.now() - HOUR_MS);
  const admittedSince = (sinceMs: number) =>
    (data?.items ?? []).reduce(
      (sum, { at, admitted }) => sum + (Date.parse(at) >= sinceMs ? admitted : 0),
      0,
    );
  const dayMs = startOfHour(Date.now() - 24 * HOUR_MS);
  const from = clockTime(new Date(hourMs).toISOString());
  return (
    <div role="status">
      <Note kind="warn">
        <p>
          {data
            ? words.keys.allowCalls(admittedSince(hourMs), admittedSince(dayMs), from)
            : problem
              ? words.keys.allowUncounted
              : words.webhooks.counting}
        </p>
      </Note>
    </div>
  );
}

function startOfHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

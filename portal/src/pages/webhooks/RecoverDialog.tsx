/** Sends everything since a time again: shows the exact count first, and sends exactly what was counted. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { useDebounced } from '../../../../console/src/api/use-debounced.ts';
import { problemOf } from '../../../../console/src/api/use-live-query.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import fieldStyles from '../../../../console/src/ui/forms/Field.module.css';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { TimeField } from '../../../../console/src/ui/forms/TimeField.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { isoFromInput, localInput } from '../../../../console/src/ui/text/time-input.ts';
import type { OwnMidoffice } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const PAUSE_MS = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Props {
  midoffice: OwnMidoffice;
  onClose(): void;
}

export function RecoverDialog({ midoffice, onClose }: Props) {
  const { call } = useView();
  const [since, setSince] = useState(() => localInput(suggestedStart(midoffice)));
  const [until, setUntil] = useState('');
  const { counted, problem } = useCount(since, until);
  const recover = useMutation({
    mutationFn: async ({ span, count }: Counted) => {
      const body = { ...span, expected: count };
      const { requeued } = await call('recoverDeliveries', { body });
      announce(words.webhooks.recovered(requeued));
    },
    onSuccess: onClose,
  });
  const sinceError = fieldError(problem, 'since');
  return (
    <Dialog title={words.webhooks.recoverTitle} open onClose={onClose} wide>
      <Form
        submit={
          counted?.count ? words.webhooks.recoverSubmit(counted.count) : words.webhooks.recoverIdle
        }
        busy={recover.isPending}
        disabled={!counted || counted.count === 0}
        problem={recover.error ?? (sinceError ? undefined : problem)}
        onSubmit={() => counted && recover.mutate(counted)}
        onCancel={onClose}
      >
        <p className={textStyles.prose}>{words.webhooks.recoverText}</p>
        <div className={fieldStyles.pair}>
          <TimeField
            label={words.webhooks.since}
            error={sinceError}
            value={since}
            onChange={setSince}
          />
          <TimeField
            label={words.webhooks.until}
            hint={words.webhooks.untilHint}
            startsAt="23:59"
            value={until}
            onChange={setUntil}
          />
        </div>
        <p role="status">
          {counted
            ? counted.count === 0
              ? words.webhooks.nothing
              : words.webhooks.willSend(counted.count)
            : since && !problem && words.webhooks.counting}
        </p>
      </Form>
    </Dialog>
  );
}

/** Events are accepted some time before their first attempt fails. */
function suggestedStart({ failing_since }: OwnMidoffice): string {
  const startMs = failing_since ? Date.parse(failing_since) - HOUR_MS : Date.now() - DAY_MS;
  return new Date(startMs).toISOString();
}

interface Span {
  since: string;
  until: string;
}

interface Counted {
  span: Span;
  count: number;
}

/** The span is fixed when it is counted, so that exactly what was counted is sent again. */
function useCount(since: string, until: string) {
  const { call, environment } = useView();
  const typed = `${since} ${until}`;
  const asked = useDebounced(typed, PAUSE_MS);
  const from = isoFromInput(since);
  const query = useQuery({
    queryKey: [environment, 'recoverable', asked],
    queryFn: async ({ signal }) => {
      const span = { since: from ?? '', until: isoFromInput(until) ?? new Date().toISOString() };
      const body = { ...span, dry_run: true };
      const { requeued } = await call('recoverDeliveries', { body }, signal);
      return { span, count: requeued };
    },
    enabled: from !== undefined && asked === typed,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (asked !== typed) return {};
  return { counted: query.data, problem: problemOf(query) };
}

/** Sends everything since a time again: shows the exact count first, and sends exactly what was counted. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fieldError } from '../../../../console/src/api/problem.ts';
import { useDebounced } from '../../../../console/src/api/use-debounced.ts';
import { problemOf } from '../../../../console/src/api/use-live-query.ts';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import fieldStyles from '../../../../console/src/ui/forms/Field.module.css';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { TimeField } from '../../../../console/src/ui/forms/TimeField.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { isoFromInput, localInput } from '../../../../console/src/ui/text/time-input.ts';
import { SendingReport, TryFirst } from '../../../../console/src/widgets/sending/SendingReport.tsx';
import { useSending } from '../../../../console/src/widgets/sending/use-sending.ts';
import type { OwnMidoffice } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ReceiverFails } from './ReceiverFails.tsx';
import { useFollowing } from './use-following.ts';

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
  const [triesFirst, setTriesFirst] = useState(true);
  const asked = useRef<Counted>(undefined);
  const send = async ({ expected, limit }: { expected?: number; limit: number }) => {
    const body = { since: '', ...asked.current?.span, limit, ...(expected && { expected }) };
    const { requeued, deliveries = [] } = await call('recoverDeliveries', { body });
    return { count: requeued, deliveries };
  };
  const countOf = () => asked.current?.count ?? 0;
  const sending = useSending({
    ...useFollowing(),
    sendFirst: () => send({ expected: countOf(), limit: 1 }),
    // The first is not among them any more, unless it has failed for good.
    sendRest: async (first, onPart) =>
      onPart(
        await send(first ? { limit: countOf() - 1 } : { expected: countOf(), limit: countOf() }),
      ),
  });
  const { progress } = sending;
  const { counted, problem } = useCount(since, until, !progress);
  function start(confirmed: Counted) {
    asked.current = confirmed;
    sending.start(confirmed.count, triesFirst && !midoffice.paused);
  }
  const sinceError = fieldError(problem, 'since');
  return (
    <Dialog title={words.webhooks.recoverTitle} open onClose={onClose} wide>
      {progress ? (
        <SendingReport sending={sending} progress={progress} onClose={onClose} />
      ) : (
        <Form
          submit={
            counted?.count
              ? words.webhooks.recoverSubmit(counted.count)
              : words.webhooks.recoverIdle
          }
          busy={false}
          disabled={!counted || counted.count === 0}
          problem={sinceError ? undefined : problem}
          onSubmit={() => counted && start(counted)}
          onCancel={onClose}
        >
          <ReceiverFails midoffice={midoffice} />
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
          {!midoffice.paused && (
            <TryFirst count={counted?.count ?? 0} isOn={triesFirst} onChange={setTriesFirst} />
          )}
        </Form>
      )}
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
function useCount(since: string, until: string, isEnabled: boolean) {
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
    enabled: isEnabled && from !== undefined && asked === typed,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (asked !== typed) return {};
  return { counted: query.data, problem: problemOf(query) };
}

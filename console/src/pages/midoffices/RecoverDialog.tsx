/** Recovers everything since a time: shows the exact count first, then what becomes of them. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fieldError, type Problem } from '../../api/problem.ts';
import type { Midoffice } from '../../api/types.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { TimeField } from '../../ui/forms/TimeField.tsx';
import textStyles from '../../ui/text/text.module.css';
import { isoFromInput, localInput } from '../../ui/text/time-input.ts';
import { FailingReceiver } from '../../widgets/sending/FailingReceivers.tsx';
import { SendingReport, TryFirst } from '../../widgets/sending/SendingReport.tsx';
import { useFollowing } from '../../widgets/sending/use-following.ts';
import { useSending } from '../../widgets/sending/use-sending.ts';
import { deliveriesInWords } from '../../words/en/counted.ts';
import styles from './RecoverDialog.module.css';
import { countRecoverable, type RecoverySpan, recoverInSteps, recoverOldest } from './recovery.ts';

const PAUSE_MS = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Props {
  midoffice: Midoffice;
  onClose(): void;
}

export function RecoverDialog({ midoffice, onClose }: Props) {
  const { id } = midoffice;
  const { call } = useEnvironment();
  const [since, setSince] = useState(() => localInput(suggestedStart(midoffice)));
  const [until, setUntil] = useState('');
  const [triesFirst, setTriesFirst] = useState(true);
  const asked = useRef<Count>({ span: { since: '', until: '' }, count: 0 });
  const sending = useSending({
    ...useFollowing(),
    isInSteps: true,
    sendFirst: () => recoverOldest(call, id, asked.current.span),
    async sendRest(first, onPart, signal) {
      const { span, count } = asked.current;
      await recoverInSteps(call, id, span, first ? count - 1 : count, onPart, signal);
    },
  });
  const { progress } = sending;
  // While it runs, the number left is no longer the number that was confirmed.
  const { count, problem } = useCount(id, since, until, !progress);
  function start(confirmed: Count) {
    asked.current = confirmed;
    sending.start(confirmed.count, triesFirst && !midoffice.paused);
  }
  const sinceError = fieldError(problem, 'since');
  return (
    <Dialog title={`Send webhooks of ${midoffice.name} again`} open onClose={onClose} wide>
      {progress ? (
        <SendingReport sending={sending} progress={progress} onClose={onClose} />
      ) : (
        <Form
          submit={count?.count ? `Send ${deliveriesInWords(count.count)} again` : 'Send again'}
          busy={false}
          disabled={!count || count.count === 0}
          problem={sinceError ? undefined : problem}
          onSubmit={() => count && start(count)}
          onCancel={onClose}
        >
          <FailingReceiver midoffice={midoffice} />
          <p className={textStyles.prose}>
            Sends every exhausted or cancelled delivery again whose event was accepted in this time,
            and every event that arrived while its partner had no midoffice. Each starts a new
            schedule and goes where the webhooks of its partner go now, also if that is another
            midoffice than before.
          </p>
          <div className={fieldStyles.pair}>
            <TimeField
              label="Accepted since"
              error={sinceError}
              value={since}
              onChange={setSince}
            />
            <TimeField
              label="Accepted until"
              hint="Leave empty to use the current time."
              startsAt="23:59"
              value={until}
              onChange={setUntil}
            />
          </div>
          <p className={styles.count} role="status">
            {count ? (
              count.count === 0 ? (
                'There is nothing to send again in this time.'
              ) : (
                <>
                  <strong>{deliveriesInWords(count.count)}</strong> will be sent again.
                </>
              )
            ) : (
              since && !problem && 'Counting…'
            )}
          </p>
          {!midoffice.paused && (
            <TryFirst count={count?.count ?? 0} isOn={triesFirst} onChange={setTriesFirst} />
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** Events are accepted some time before their first attempt fails. What is still open must be inside. */
function suggestedStart({ failing_since, oldest_exhausted_at }: Midoffice): string {
  const startMs = failing_since ? Date.parse(failing_since) - HOUR_MS : Date.now() - DAY_MS;
  // The field has minutes.
  const oldestMs = oldest_exhausted_at ? Date.parse(oldest_exhausted_at) - 60_000 : startMs;
  return new Date(Math.min(startMs, oldestMs)).toISOString();
}

interface Count {
  span: RecoverySpan;
  count: number;
}

interface Counted {
  count?: Count | undefined;
  problem?: Problem | undefined;
}

/** The span is fixed when it is counted, so that exactly what was counted is recovered. */
function useCount(id: string, since: string, until: string, enabled: boolean): Counted {
  const { call, environment } = useEnvironment();
  const asked = useDebounced(`${since} ${until}`, PAUSE_MS);
  const from = isoFromInput(since);
  const query = useQuery({
    queryKey: [environment, 'recoverable', id, asked],
    queryFn: async ({ signal }): Promise<Count> => {
      const span = {
        since: from ?? '',
        until: isoFromInput(until) ?? new Date().toISOString(),
      };
      return { span, count: await countRecoverable(call, id, span, signal) };
    },
    enabled: enabled && from !== undefined && asked === `${since} ${until}`,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (asked !== `${since} ${until}`) return {};
  return { count: query.data, problem: problemOf(query) };
}

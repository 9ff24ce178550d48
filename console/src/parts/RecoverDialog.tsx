/** Recover everything since a time: the exact count first, then the steps with their progress. */
import { Progress } from '@base-ui/react/progress';
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Midoffice } from '../model.ts';
import { asProblem, fieldError, type Problem } from '../problem.ts';
import { countRecoverable, type RecoverySpan, recoverInSteps } from '../recovery.ts';
import { isoFromInput, localInput } from '../times.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';

const PAUSE_MS = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Props {
  midoffice: Midoffice;
  onClose(): void;
}

export function RecoverDialog({ midoffice, onClose }: Props) {
  const { api } = useDesk();
  const [since, setSince] = useState(() => localInput(suggestedStart(midoffice)));
  const [until, setUntil] = useState('');
  const counted = useCount(midoffice.id, since, until);
  const [progress, setProgress] = useState<{ done: number; of: number; isOver: boolean }>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const recover = useAction(async ({ span, count }: Count) => {
    stop.current = new AbortController();
    const onStep = (done: number) => setProgress({ done, of: count, isOver: false });
    onStep(0);
    const { signal } = stop.current;
    const done = await recoverInSteps(api, midoffice.id, span, count, onStep, signal);
    setProgress({ done, of: count, isOver: true });
    announce(`Queued again: ${inWords(done)}.`);
  });

  const { count } = counted;
  return (
    <Dialog title={`Recover ${midoffice.name}`} open onClose={onClose} wide>
      {progress && !recover.problem ? (
        <Steps {...progress} onStop={() => stop.current?.abort()} onClose={onClose} />
      ) : (
        <Form
          submit={count?.count ? `Recover ${inWords(count.count)}` : 'Recover'}
          busy={recover.busy}
          disabled={!count || count.count === 0}
          problem={recover.problem ?? (counted.atField ? undefined : counted.problem)}
          onSubmit={() => count && void recover.run(count)}
          onCancel={onClose}
        >
          <p className="prose">
            Queues again what was given up: exhausted and cancelled deliveries of orders whose
            events were accepted in this time, and those of its partners that had no midoffice then.
            Each gets a new schedule.
          </p>
          <div className="field-pair">
            <Field label="Accepted since" error={counted.atField}>
              {(props) => (
                <input
                  {...props}
                  type="datetime-local"
                  value={since}
                  onChange={(event) => setSince(event.target.value)}
                />
              )}
            </Field>
            <Field label="until" hint="Empty: now.">
              {(props) => (
                <input
                  {...props}
                  type="datetime-local"
                  value={until}
                  onChange={(event) => setUntil(event.target.value)}
                />
              )}
            </Field>
          </div>
          <p className="count" role="status">
            {count ? (
              count.count === 0 ? (
                'Nothing was given up in this time.'
              ) : (
                <>
                  <strong>{inWords(count.count)}</strong> will be queued again.
                </>
              )
            ) : (
              since && !counted.problem && 'Counting…'
            )}
          </p>
        </Form>
      )}
    </Dialog>
  );
}

function inWords(count: number): string {
  return count === 1 ? '1 delivery' : `${count} deliveries`;
}

/** The events of the first failed attempts were accepted a while before these. */
function suggestedStart({ failing_since }: Midoffice): string {
  const startMs = failing_since ? Date.parse(failing_since) - HOUR_MS : Date.now() - DAY_MS;
  return new Date(startMs).toISOString();
}

interface StepsProps {
  done: number;
  of: number;
  isOver: boolean;
  onStop(): void;
  onClose(): void;
}

function Steps({ done, of, isOver, onStop, onClose }: StepsProps) {
  return (
    <div className="form">
      <Progress.Root className="progress" value={done} max={of} aria-label="Recovered">
        <Progress.Track className="progress-track">
          <Progress.Indicator className="progress-fill" />
        </Progress.Track>
      </Progress.Root>
      <p className="count" role="status">
        <strong>{done}</strong> of {of} queued again.
        {isOver && ' Their attempts are under way.'}
      </p>
      <div className="form-buttons">
        {isOver ? (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <Button onClick={onStop}>Stop here</Button>
        )}
      </div>
    </div>
  );
}

interface Count {
  span: RecoverySpan;
  count: number;
}

interface Counted {
  count?: Count;
  problem?: Problem;
  atField?: string | undefined;
}

/** The span is pinned when it is counted, so that exactly what was counted is recovered. */
function useCount(id: string, since: string, until: string): Counted {
  const { api } = useDesk();
  const [counted, setCounted] = useState<Counted>({});
  useEffect(() => {
    setCounted({});
    const from = isoFromInput(since);
    if (!from) return;
    let isOld = false;
    const timer = setTimeout(async () => {
      const span = { since: from, until: isoFromInput(until) ?? new Date().toISOString() };
      try {
        const count = await countRecoverable(api, id, span);
        if (!isOld) setCounted({ count: { span, count } });
      } catch (error) {
        const problem = asProblem(error);
        if (!isOld) setCounted({ problem, atField: fieldError(problem, 'since') });
      }
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [api, id, since, until]);
  return counted;
}

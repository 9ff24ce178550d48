/** Sends everything since a time again: shows the exact count first, sends exactly what was counted, and tells what becomes of it. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { TimeField } from '../../ui/forms/TimeField.tsx';
import textStyles from '../../ui/text/text.module.css';
import { isoFromInput, localInput } from '../../ui/text/time-input.ts';
import { words } from '../../words/words.ts';
import { SendingReport, TryFirst } from './SendingReport.tsx';
import { type Source, useSending } from './use-sending.ts';

const PAUSE_MS = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Span {
  since: string;
  until: string;
}

interface Counted {
  span: Span;
  count: number;
}

interface Props {
  said: {
    title: string;
    about: string;
    since: string;
    until: string;
    nothing: string;
    willSend(count: number): ReactNode;
    submit(count: number): string;
    idle: string;
  };
  /** Tells one receiver from another. */
  queryKey: readonly unknown[];
  midoffice: { paused: boolean; failing_since: string | null; oldest_exhausted_at?: string | null };
  /** That the receiver fails. */
  warning: ReactNode;
  count(span: Span, signal: AbortSignal): Promise<number>;
  /** How exactly what was counted is sent. */
  sourceOf(asked: () => Counted): Source;
  onClose(): void;
}

export function ResendDialog(props: Props) {
  const { said, midoffice, onClose } = props;
  const [since, setSince] = useState(() => localInput(suggestedStart(midoffice)));
  const [until, setUntil] = useState('');
  const [triesFirst, setTriesFirst] = useState(true);
  const asked = useRef<Counted>({ span: { since: '', until: '' }, count: 0 });
  const sending = useSending(props.sourceOf(() => asked.current));
  const { progress } = sending;
  // While it runs, the number left is no longer the number that was confirmed.
  const { counted, problem } = useCounted(props, since, until, !progress);
  function start(confirmed: Counted) {
    asked.current = confirmed;
    sending.start(confirmed.count, triesFirst && !midoffice.paused);
  }
  const sinceError = fieldError(problem, 'since');
  return (
    <Dialog title={said.title} open onClose={onClose} wide>
      {progress ? (
        <SendingReport sending={sending} progress={progress} onClose={onClose} />
      ) : (
        <Form
          submit={counted?.count ? said.submit(counted.count) : said.idle}
          busy={false}
          disabled={!counted || counted.count === 0}
          problem={sinceError ? undefined : problem}
          onSubmit={() => counted && start(counted)}
          onCancel={onClose}
        >
          {props.warning}
          <p className={textStyles.prose}>{said.about}</p>
          <div className={fieldStyles.pair}>
            <TimeField label={said.since} error={sinceError} value={since} onChange={setSince} />
            <TimeField
              label={said.until}
              hint={words.sending.untilHint}
              startsAt="23:59"
              value={until}
              onChange={setUntil}
            />
          </div>
          <p role="status">
            {counted
              ? counted.count === 0
                ? said.nothing
                : said.willSend(counted.count)
              : since && !problem && words.sending.counting}
          </p>
          {!midoffice.paused && (
            <TryFirst count={counted?.count ?? 0} isOn={triesFirst} onChange={setTriesFirst} />
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** Events are accepted some time before their first attempt fails. What is still open must be inside. */
function suggestedStart({ failing_since, oldest_exhausted_at }: Props['midoffice']): string {
  const startMs = failing_since ? Date.parse(failing_since) - HOUR_MS : Date.now() - DAY_MS;
  // The field has minutes.
  const oldestMs = oldest_exhausted_at ? Date.parse(oldest_exhausted_at) - 60_000 : startMs;
  return new Date(Math.min(startMs, oldestMs)).toISOString();
}

/** The span is fixed when it is counted, so that exactly what was counted is sent. */
function useCounted({ queryKey, count }: Props, since: string, until: string, isEnabled: boolean) {
  const typed = `${since} ${until}`;
  const asked = useDebounced(typed, PAUSE_MS);
  const from = isoFromInput(since);
  const query = useQuery({
    queryKey: [...queryKey, asked],
    queryFn: async ({ signal }) => {
      const span = { since: from ?? '', until: isoFromInput(until) ?? new Date().toISOString() };
      return { span, count: await count(span, signal) };
    },
    enabled: isEnabled && from !== undefined && asked === typed,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (asked !== typed) return {};
  return { counted: query.data, problem: problemOf(query) };
}

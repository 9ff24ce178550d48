/** Sends webhooks that a receiver has had to a new URL, or again to its own, and shows what it answered. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { NewRehearsal, RehearsalReport } from '../api/types.ts';
import { entriesOf } from '../entries.ts';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Choices } from '../ui/forms/Choices.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { TextField } from '../ui/forms/TextField.tsx';
import { durationOf } from '../ui/text/durations.ts';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import { ReceiverReport } from './ReceiverReport.tsx';

const { rehearsal: said } = words;
const choices = entriesOf(said.choices).map(([value, label]) => ({ value, label }));

interface Props {
  /** What the field begins with. */
  url: string;
  rehearse(body: NewRehearsal): Promise<RehearsalReport>;
  onClose(): void;
}

export function RehearseDialog({ url: initial, rehearse, onClose }: Props) {
  const [url, setUrl] = useState(initial);
  const [choice, setChoice] = useState<keyof typeof said.choices>('newest');
  const [order, setOrder] = useState('');
  const chosen = {
    newest: { newest: 10 },
    each: { one_of_each_type: true },
    order: { partner_order_id: order.trim() },
  }[choice];
  const send = useMutation({
    mutationFn: () => rehearse({ url: url.trim(), ...chosen }),
  });
  const report = send.data;
  const urlError =
    fieldError(send.error, 'url') ??
    (send.error?.code === 'receiver_refused' ? send.error.message : undefined);
  const isComplete = url.trim() !== '' && (choice !== 'order' || order.trim() !== '');
  return (
    <Dialog title={said.title} open onClose={onClose} wide>
      <Form
        submit={report ? said.again : said.send}
        cancel={words.dialogs.close}
        busy={send.isPending}
        disabled={!isComplete}
        problem={urlError ? undefined : send.error}
        onSubmit={() => (report ? send.reset() : send.mutate())}
        onCancel={onClose}
      >
        {report ? (
          <Report report={report} />
        ) : (
          <>
            <p className={textStyles.prose}>{said.about}</p>
            <TextField label={said.url} error={urlError} type="url" value={url} onChange={setUrl} />
            <Choices legend={said.choose} options={choices} value={choice} onChange={setChoice} />
            {choice === 'order' && (
              <TextField label={said.order} maxLength={256} value={order} onChange={setOrder} />
            )}
          </>
        )}
        {/* There from the beginning, so that it is spoken when it changes. */}
        <p className={report ? textStyles.visuallyHidden : textStyles.dim} role="status">
          {report ? said.announced[report.verdict] : send.isPending && said.sending}
        </p>
      </Form>
    </Dialog>
  );
}

function Report({ report }: { report: RehearsalReport }) {
  const { url, timings } = report;
  return (
    <ReceiverReport report={report} said={said}>
      <p className={textStyles.wrap}>
        <code>{url}</code>
      </p>
      {timings && (
        <p>
          {said.timings(
            durationOf(timings.fastest_ms),
            durationOf(timings.median_ms),
            durationOf(timings.slowest_ms),
          )}
        </p>
      )}
    </ReceiverReport>
  );
}

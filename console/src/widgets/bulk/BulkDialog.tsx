/** Confirms a change of many deliveries with their exact number, then shows its progress. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { BulkAction, Delivery, DeliveryCount, DeliveryFilter } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { ReasonField, TypedField } from '../../ui/dialogs/fields.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import formStyles from '../../ui/forms/Form.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { announce } from '../../ui/page/announce.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import textStyles from '../../ui/text/text.module.css';
import { deliveriesInWords } from '../../words/en/counted.ts';
import { ProgressBar } from '../ProgressBar.tsx';
import { FailingReceivers } from '../sending/FailingReceivers.tsx';
import { SendingReport, TryFirst } from '../sending/SendingReport.tsx';
import { affectedBy, bulkWords, consequences, numberToType, titleOf } from './bulk-words.ts';
import { type Counted, useBulkCount } from './use-bulk-count.ts';
import { useBulkProgress } from './use-bulk-progress.ts';
import { useBulkSending } from './use-bulk-sending.ts';

interface Props {
  action: BulkAction;
  filter: DeliveryFilter;
  /** If there are any, only these are changed. */
  selected: readonly Delivery[];
  onDone(): void;
  onClose(): void;
}

export function BulkDialog({ action, filter, selected, onDone, onClose }: Props) {
  const { call } = useEnvironment();
  const words = bulkWords[action];
  const [alsoDelivered, setAlsoDelivered] = useState(() => areDelivered(selected));
  // The list goes on updating itself behind the dialog.
  const [chosen] = useState(selected);
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const counted = useBulkCount(action, filter, chosen, alsoDelivered);
  const change = useMutation({
    mutationFn: ({ filter, count }: Counted) =>
      call('changeDeliveries', {
        body: {
          action,
          filter,
          expected: count.count,
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      }),
    onSuccess({ changed }) {
      announce(words.done(deliveriesInWords(changed)));
      onDone();
      onClose();
    },
  });
  const [triesFirst, setTriesFirst] = useState(true);
  const sending = useBulkSending(counted.data);
  const { count } = counted.data ?? {};
  const isGone = change.error?.code === 'count_changed';
  const affected = count && !count.has_more ? affectedBy(action, count) : 0;
  const toType = numberToType(affected);
  const mayAskForDelivered =
    action === 'retry' && filter.state === undefined && filter.only === undefined;
  function submit() {
    if (!counted.data) return;
    if (action !== 'retry') return change.mutate(counted.data);
    sending.start(affected, triesFirst);
  }
  const { progress } = sending;
  function close() {
    if (progress) onDone();
    onClose();
  }
  return (
    <Dialog title={titleOf(action, selected.length > 0)} open onClose={close}>
      {progress ? (
        <SendingReport sending={sending} progress={progress} onClose={close} />
      ) : change.isPending && counted.data ? (
        <Running action={action} counted={counted.data} onClose={onClose} />
      ) : (
        <Form
          submit={words.submit(affected > 0 ? deliveriesInWords(affected) : 'nothing')}
          cancel={words.keep}
          danger={action === 'cancel'}
          busy={change.isPending}
          disabled={affected === 0 || isGone || (toType !== undefined && typed.trim() !== toType)}
          problem={change.error ?? counted.problem}
          onSubmit={submit}
          onCancel={onClose}
        >
          {action === 'retry' && <FailingReceivers filter={filter} selected={chosen} />}
          <div className={textStyles.prose} role="status">
            {count ? (
              <Consequences action={action} count={count} />
            ) : (
              !counted.problem && <p>Counting…</p>
            )}
          </div>
          {mayAskForDelivered && (
            <Toggle
              label="Also send those again that were delivered"
              checked={alsoDelivered}
              onChange={setAlsoDelivered}
            />
          )}
          {action === 'retry' && (
            <TryFirst count={affected} isOn={triesFirst} onChange={setTriesFirst} />
          )}
          {action === 'acknowledge' && <ReasonField value={reason} onChange={setReason} />}
          {toType && <TypedField wanted={toType} value={typed} onChange={setTyped} />}
          {isGone && (
            <Button
              onClick={() => {
                change.reset();
                counted.again();
              }}
            >
              Count again
            </Button>
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** Whoever selects only delivered ones wants to send them again. */
function areDelivered(selected: readonly Delivery[]): boolean {
  return selected.length > 0 && selected.every(({ state }) => state === 'delivered');
}

function Consequences({ action, count }: { action: BulkAction; count: DeliveryCount }) {
  return consequences(action, count).map((sentence, n) => (
    <p key={sentence}>{n === 0 ? <strong>{sentence}</strong> : sentence}</p>
  ));
}

function Running({
  action,
  counted,
  onClose,
}: {
  action: BulkAction;
  counted: Counted;
  onClose(): void;
}) {
  const changed = useBulkProgress(action, counted.filter);
  const of = affectedBy(action, counted.count);
  return (
    <div className={formStyles.form}>
      <ProgressBar label="Changed" value={changed} max={of} />
      <p role="status">
        <strong>{inDigits(changed)}</strong> of {inDigits(of)}. You can close this; the server
        carries on.
      </p>
      <div className={formStyles.buttons} data-form-buttons>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

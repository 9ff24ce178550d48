/** Sends what waits for its next attempt; says how many before, and what becomes of them. */
import { useState } from 'react';
import { Dialog } from '../../../../console/src/ui/dialogs/Dialog.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { SendingReport, TryFirst } from '../../../../console/src/widgets/sending/SendingReport.tsx';
import { useSending } from '../../../../console/src/widgets/sending/use-sending.ts';
import type { OwnMidoffice } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ReceiverFails } from './ReceiverFails.tsx';
import { useFollowing } from './use-following.ts';

interface Props {
  midoffice: OwnMidoffice;
  onClose(): void;
}

export function SendWaitingDialog({ midoffice, onClose }: Props) {
  const { call } = useView();
  // The page behind goes on counting.
  const [waiting] = useState(midoffice.waiting ?? 0);
  const [triesFirst, setTriesFirst] = useState(true);
  const send = async (limit: number, after?: string) => {
    const { sent, deliveries = [] } = await call('sendPending', {
      query: { limit, ...(after && { after }) },
    });
    return { count: sent, deliveries };
  };
  const sending = useSending({
    ...useFollowing(),
    sendFirst: () => send(1),
    sendRest: async (first, onPart) => onPart(await send(first ? waiting - 1 : waiting, first?.id)),
  });
  const { progress } = sending;
  const { paused } = midoffice;
  return (
    <Dialog title={words.webhooks.sendWaitingTitle} open onClose={onClose}>
      {progress ? (
        <SendingReport sending={sending} progress={progress} onClose={onClose} />
      ) : (
        <Form
          submit={words.webhooks.sendWaitingSubmit(waiting)}
          busy={false}
          problem={undefined}
          onSubmit={() => sending.start(waiting, triesFirst && !paused)}
          onCancel={onClose}
        >
          <ReceiverFails midoffice={midoffice} />
          <p className={textStyles.prose}>{words.webhooks.sendWaitingText(waiting)}</p>
          {!paused && <TryFirst count={waiting} isOn={triesFirst} onChange={setTriesFirst} />}
        </Form>
      )}
    </Dialog>
  );
}

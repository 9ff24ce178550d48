/** Sends what waits for a midoffice, the oldest first and alone, instead of leaving it to the schedule. */
import type { Midoffice } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Button } from '../ui/forms/Button.tsx';
import { Note } from '../ui/page/Note.tsx';
import { inDigits } from '../ui/text/numbers.ts';
import styles from './SendPending.module.css';
import { SendingReport } from './sending/SendingReport.tsx';
import { useFollowing } from './sending/use-following.ts';
import { useSending } from './sending/use-sending.ts';

type Waiting = Pick<Midoffice, 'id' | 'waiting' | 'paused'>;

function useSendPending({ id, waiting, paused }: Waiting) {
  const { call } = useEnvironment();
  const send = async (limit: number, after?: string) => {
    const { sent, deliveries = [] } = await call('sendPending', {
      id,
      query: { limit, ...(after && { after }) },
    });
    return { count: sent, deliveries };
  };
  const sending = useSending({
    ...useFollowing(),
    sendFirst: () => send(1),
    async sendRest(first, onPart) {
      const left = first ? waiting - 1 : waiting;
      if (left > 0) onPart(await send(left, first?.id));
    },
  });
  const { progress } = sending;
  const dialog = progress && (
    <Dialog title="Sending webhooks" open onClose={sending.close}>
      <SendingReport sending={sending} progress={progress} onClose={sending.close} />
    </Dialog>
  );
  // A paused receiver gets nothing, so trying it would tell nothing.
  return { dialog, start: () => sending.start(waiting, !paused) };
}

/** Nothing, while nothing waits. */
export function SendPendingButton({ midoffice }: { midoffice: Waiting }) {
  const { mayChange } = useEnvironment();
  const { dialog, start } = useSendPending(midoffice);
  return (
    <>
      {mayChange && midoffice.waiting > 0 && (
        <Button onClick={start}>Send all {inDigits(midoffice.waiting)} pending now</Button>
      )}
      {dialog}
    </>
  );
}

/** Offered once the receiver has proved that it works. */
export function SendPendingOffer({ midoffice }: { midoffice: Waiting }) {
  const { mayChange } = useEnvironment();
  const { dialog, start } = useSendPending(midoffice);
  const { waiting } = midoffice;
  const isOne = waiting === 1;
  return (
    <>
      {mayChange && waiting > 0 && (
        <Note>
          <div className={styles.offer}>
            <p>
              The receiver works. <strong>{inDigits(waiting)}</strong>{' '}
              {isOne ? 'webhook still waits' : 'webhooks still wait'} for{' '}
              {isOne ? 'its next attempt' : 'their next attempts'}.
            </p>
            <Button onClick={start}>Send all {inDigits(waiting)} pending now</Button>
          </div>
        </Note>
      )}
      {dialog}
    </>
  );
}

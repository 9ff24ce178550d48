/** Sends what waits for a midoffice, instead of leaving it to the schedule. */
import { useMutation } from '@tanstack/react-query';
import type { Midoffice } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Button } from '../ui/forms/Button.tsx';
import { announce } from '../ui/page/announce.ts';
import { Note } from '../ui/page/Note.tsx';
import { ProblemNote } from '../ui/page/ProblemNote.tsx';
import { inDigits } from '../ui/text/numbers.ts';
import { counted } from '../words/en/counted.ts';
import styles from './SendPending.module.css';

type Waiting = Pick<Midoffice, 'id' | 'waiting' | 'paused'>;

/** Nothing, while nothing waits. */
export function SendPendingButton({ midoffice: { id, waiting, paused } }: { midoffice: Waiting }) {
  const { call, mayChange } = useEnvironment();
  const send = useMutation({
    mutationFn: () => call('sendPending', { id }),
    onSuccess: ({ sent }) => announce(sentInWords(sent, paused)),
  });
  if (!mayChange || waiting === 0) return null;
  return (
    <>
      <Button busy={send.isPending} onClick={() => send.mutate()}>
        Send all {inDigits(waiting)} pending now
      </Button>
      {send.error && <ProblemNote problem={send.error} />}
    </>
  );
}

/** Offered once the receiver has proved that it works. */
export function SendPendingOffer({ midoffice }: { midoffice: Waiting }) {
  const { mayChange } = useEnvironment();
  const { waiting } = midoffice;
  if (!mayChange || waiting === 0) return null;
  const isOne = waiting === 1;
  return (
    <Note>
      <div className={styles.offer}>
        <p>
          The receiver works. <strong>{inDigits(waiting)}</strong>{' '}
          {isOne ? 'webhook still waits' : 'webhooks still wait'} for{' '}
          {isOne ? 'its next attempt' : 'their next attempts'}.
        </p>
        <SendPendingButton midoffice={midoffice} />
      </div>
    </Note>
  );
}

function sentInWords(sent: number, isPaused: boolean): string {
  const webhooks = counted(sent, 'webhook');
  return isPaused
    ? `${webhooks} will be sent as soon as the midoffice is resumed.`
    : `${webhooks} will be sent now.`;
}

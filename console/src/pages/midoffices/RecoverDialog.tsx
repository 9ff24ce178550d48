/** Recovers everything since a time. */
import type { Midoffice } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { FailingReceiver } from '../../widgets/sending/FailingReceivers.tsx';
import { ResendDialog } from '../../widgets/sending/ResendDialog.tsx';
import { useFollowing } from '../../widgets/sending/use-following.ts';
import { deliveriesInWords } from '../../words/en/counted.ts';
import { countRecoverable, recoverInSteps, recoverOldest } from './recovery.ts';

const said = {
  about:
    'Sends every exhausted or cancelled delivery again whose event was accepted in this time, and every event that arrived while its partner had no midoffice. Each starts a new schedule and goes where the webhooks of its partner go now, also if that is another midoffice than before.',
  since: 'Accepted since',
  until: 'Accepted until',
  nothing: 'There is nothing to send again in this time.',
  willSend: (count: number) => (
    <>
      <strong>{deliveriesInWords(count)}</strong> will be sent again.
    </>
  ),
  submit: (count: number) => `Send ${deliveriesInWords(count)} again`,
  idle: 'Send again',
};

interface Props {
  midoffice: Midoffice;
  onClose(): void;
}

export function RecoverDialog({ midoffice, onClose }: Props) {
  const { id, name } = midoffice;
  const { call, environment } = useEnvironment();
  const following = useFollowing();
  return (
    <ResendDialog
      said={{ ...said, title: `Send webhooks of ${name} again` }}
      queryKey={[environment, 'recoverable', id]}
      midoffice={midoffice}
      warning={<FailingReceiver midoffice={midoffice} />}
      count={(span, signal) => countRecoverable(call, id, span, signal)}
      sourceOf={(asked) => ({
        ...following,
        isInSteps: true,
        sendFirst: () => recoverOldest(call, id, asked().span),
        async sendRest(first, onPart, signal) {
          const { span, count } = asked();
          await recoverInSteps(call, id, span, first ? count - 1 : count, onPart, signal);
        },
      })}
      onClose={onClose}
    />
  );
}

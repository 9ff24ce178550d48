/** Sends everything since a time again. */
import { ResendDialog } from '../../../../console/src/widgets/sending/ResendDialog.tsx';
import type { OwnMidoffice } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ReceiverFails } from './ReceiverFails.tsx';
import { useFollowing } from './use-following.ts';

interface Props {
  midoffice: OwnMidoffice;
  onClose(): void;
}

export function RecoverDialog({ midoffice, onClose }: Props) {
  const { call, environment } = useView();
  const following = useFollowing();
  async function send(body: { since: string; until: string; expected?: number; limit: number }) {
    const { requeued, deliveries = [] } = await call('recoverDeliveries', { body });
    return { count: requeued, deliveries };
  }
  return (
    <ResendDialog
      said={words.webhooks.again}
      queryKey={[environment, 'recoverable']}
      midoffice={midoffice}
      warning={<ReceiverFails midoffice={midoffice} />}
      count={async (span, signal) => {
        const body = { ...span, dry_run: true };
        return (await call('recoverDeliveries', { body }, signal)).requeued;
      }}
      sourceOf={(asked) => ({
        ...following,
        sendFirst: () => send({ ...asked().span, expected: asked().count, limit: 1 }),
        async sendRest(first, onPart) {
          const { span, count } = asked();
          // The first is not among them any more, unless it has failed for good.
          const rest = first ? { limit: count - 1 } : { expected: count, limit: count };
          onPart(await send({ ...span, ...rest }));
        },
      })}
      onClose={onClose}
    />
  );
}

import { ConfirmDialog } from '../../../../console/src/ui/dialogs/ConfirmDialog.tsx';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

/** Sends what waits for its next attempt; says how many before. */
export function SendWaitingDialog({ waiting, onClose }: { waiting: number; onClose(): void }) {
  const { call } = useView();
  return (
    <ConfirmDialog
      title={words.webhooks.sendWaitingTitle}
      submit={words.webhooks.sendWaitingSubmit(waiting)}
      isHarmless
      onClose={onClose}
      onConfirm={async () => {
        const { sent } = await call('sendPending', {});
        announce(words.webhooks.sentWaiting(sent));
      }}
    >
      <p>{words.webhooks.sendWaitingText(waiting)}</p>
    </ConfirmDialog>
  );
}

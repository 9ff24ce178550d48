import { Note } from '../../../../console/src/ui/page/Note.tsx';
import { Time } from '../../../../console/src/ui/text/Time.tsx';
import type { OwnMidoffice } from '../../api/types.ts';
import { words } from '../../words/words.ts';

/** Before anything is sent. */
export function ReceiverFails({ midoffice }: { midoffice: OwnMidoffice }) {
  const { failing_since } = midoffice;
  if (!failing_since) return null;
  return (
    <Note kind="bad">
      <p>{words.webhooks.receiverFails(<Time at={failing_since} />)}</p>
    </Note>
  );
}

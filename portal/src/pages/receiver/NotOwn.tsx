import { Note } from '../../../../console/src/ui/page/Note.tsx';
import type { OwnMidoffice } from '../../api/types.ts';
import { words } from '../../words/words.ts';

/** Why there is no button to change the receiver, or to send to it. */
export function NotOwn({ midoffice }: { midoffice: OwnMidoffice | null | undefined }) {
  if (!midoffice || midoffice.is_own) return null;
  return <Note>{midoffice.is_shared ? words.receiver.shared : words.receiver.borrowedKey}</Note>;
}

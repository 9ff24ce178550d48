import { actorName } from '@bellhop/rules/actor-name';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EnvironmentCall } from '../../api/client.ts';
import type { AuditEntry } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { useSession } from '../../app/session.tsx';
import { announce, dismiss } from '../../ui/page/announce.ts';
import { RevertDialog, raisesAgain } from '../RevertDialog.tsx';
import { entriesOf, type Undoable, useAskedUndo } from './undo.ts';

/** Enough for a change of every endpoint, and for some by others since. */
const MOST_ENTRIES = 100;

/** Undoes what somebody asked for, on whichever page they are by now. */
export function Undoing() {
  const { call, environment } = useEnvironment();
  const { name } = useSession();
  const [asked, done] = useAskedUndo();
  const [asking, setAsking] = useState<AuditEntry[]>([]);
  const { mutate } = useMutation({
    mutationFn: async (undoable: Undoable) => {
      const entries = await ownEntries(call, undoable, name);
      // The dialog asks for the approval.
      if (environment === 'production' && entries.some(raisesAgain)) return setAsking(entries);
      for (const { id } of entries) await call('revertChange', { id, body: {} });
      announce('The change is undone.');
    },
    onError: ({ message }) => announce(`The change was not undone. ${message}`, 'bad'),
  });
  useEffect(() => {
    if (!asked) return;
    done();
    mutate(asked);
  }, [asked, done, mutate]);
  // What was changed in the other environment is not undone from here.
  useEffect(() => dismiss, [environment]);
  const [first, ...more] = asking;
  if (!first) return null;
  return <RevertDialog entries={[first, ...more]} onClose={() => setAsking([])} />;
}

async function ownEntries(call: EnvironmentCall, undoable: Undoable, me: string) {
  const { action, subject, changes } = undoable;
  const query = { action, subject, limit: MOST_ENTRIES };
  const { items } = await call('listAudit', { query });
  const mine = items.filter(({ actor }) => actorName(actor) === me);
  const entries = entriesOf(undoable, mine);
  if (entries.length === changes.length) return entries;
  throw new Error('The audit has no entry of it. Look at the newest changes of this record.');
}

/** Undoes a change that the audit has recorded, through the action that made it. */

import { fieldsOf } from '@bellhop/rules/differences';
import type { Static } from 'typebox';
import type { Change, Store } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { input } from '../forms.ts';
import { approvalReference } from '../grants/grant.ts';
import { deleteGrant, putGrant } from '../grants/grants.ts';
import { updateKey } from '../keys/change-key.ts';
import { updateMidoffice } from '../midoffices/change-midoffice.ts';
import { updatePartner } from '../partners/change-partner.ts';
import { Problem } from '../problem.ts';
import { fieldsBefore, type Undoing } from '../reverting.ts';
import { Type } from '../type.ts';
import type { AuditEntry } from './audit.ts';
import { readEntry, showEntries } from './audit.ts';
import { readAudit } from './queries.ts';
import { isRevertible, type RevertibleAction } from './revertible.ts';

export const Reversion = input('Reversion', {
  approval_reference: Type.Optional(approvalReference),
});

type Recorded = ReturnType<typeof readEntry>;

type Undo = (
  environment: SupportEnvironment,
  actor: string,
  entry: Recorded,
  undoing: Undoing,
  how: Static<typeof Reversion>,
) => Promise<unknown>;

const undoes: Record<RevertibleAction, Undo> = {
  'partner.update': (environment, actor, { subject, before, after }, undoing) =>
    updatePartner(environment, actor, subject, fieldsBefore(before, after), undoing),
  'key.update': (environment, actor, { subject, before, after }, undoing) =>
    updateKey(environment, actor, subject, fieldsBefore(before, after), undoing),
  'midoffice.update': (environment, actor, { subject, before, after }, undoing) =>
    updateMidoffice(environment, actor, subject, fieldsBefore(before, after), undoing),
  'key.grant': (environment, actor, { subject, before, after }, undoing, how) =>
    before === null
      ? deleteGrant(environment, actor, subject, after.endpoint, undoing)
      : putGrant(environment, actor, subject, { ...before, ...how }, undoing),
  'key.withdraw': (environment, actor, { subject, before }, undoing, how) =>
    putGrant(environment, actor, subject, { ...before, ...how }, undoing),
};

/** Returns the new entry. */
export async function revertChange(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  how: Static<typeof Reversion> = {},
): Promise<AuditEntry> {
  const { db } = environment.store;
  const row = await readAudit(db, id);
  if (!row) throw new Problem('audit_entry_not_found');
  const entry = readEntry(row);
  if (!isRevertible(entry)) throw new Problem('not_revertible');
  const { before, after } = entry;
  const fields = Object.keys(fieldsBefore(before, after));
  let made = '';
  const noting = notingReversals(environment, entry, (reversal) => {
    made = reversal;
  });
  await undoes[entry.action](noting, actor, entry, { reverts: id, after, fields }, how);
  const written = await readAudit(db, made);
  if (!written) throw new Error('a change was undone without an entry in the audit');
  const [shown] = await showEntries(db, [written]);
  return shown as AuditEntry;
}

/** The same environment; `note` gets the id of an entry that says that it reverts this one, which then names that entry. */
function notingReversals(
  environment: SupportEnvironment,
  { id, after: undone }: Pick<Recorded, 'id' | 'after'>,
  note: (reversal: string) => void,
): SupportEnvironment {
  const { store } = environment;
  const change: Store['change'] = (actor, work) =>
    store.change(actor, (one) =>
      work({
        ...one,
        async audit(action, subject, before, after) {
          const entry = await one.audit(action, subject, before, after);
          if (fieldsOf(after).reverts === id) {
            note(entry);
            await one.auditMore(id, { ...undone, reverted_by: entry });
            await restate(one, fieldsOf(undone).reverts, id, true);
          }
          return entry;
        },
      }),
    );
  return { ...environment, store: { ...store, change } };
}

/** What an undone change had undone is in force again; and what that one had undone is not. */
async function restate(
  change: Change,
  reverted: unknown,
  by: string,
  isInForce: boolean,
): Promise<void> {
  const row = typeof reverted === 'string' ? await readAudit(change.db, reverted) : undefined;
  if (!row) return;
  const { reverted_by: _, ...after } = fieldsOf(readEntry(row).after);
  const restated = isInForce ? after : { ...after, reverted_by: by };
  await change.auditMore(row.id, Object.keys(restated).length === 0 ? null : restated);
  await restate(change, after.reverts, row.id, !isInForce);
}

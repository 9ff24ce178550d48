/**
 * Makes changes of support and of partners again that a failover has lost: the statements of the transaction, in their
 * order. A change counts as lost if its entry is not in the audit. If somebody has done the same to the same thing
 * later, theirs counts, and the lost one is named in the log.
 */
import { CompiledQuery } from 'kysely';
import type { Log } from '../../base/log.ts';
import type { KeptChange } from '../kept-change.ts';

/** Integrity constraints: what is there by now does not allow the change. */
const CONFLICT = '23';

type Outcome = 'kept' | 'restored' | { refusedBecause: string };

export async function restoreChanges(
  changes: readonly KeptChange[],
  log: Log,
): Promise<{ made: number; notMade: number }> {
  let made = 0;
  let notMade = 0;
  const states = statesOf(changes);
  for (const change of changes) {
    const outcome = await restoreChange(change, states);
    if (outcome === 'kept') continue;
    const what = change.audits.map(({ action, subject }) => `${action} ${subject}`);
    const facts = { what, at: new Date(change.at).toISOString() };
    if (outcome === 'restored') {
      made++;
      log.warn(facts, 'a change was lost in a failover, and is made again');
    } else {
      notMade++;
      log.error(
        { ...facts, reason: outcome.refusedBecause },
        'a change was lost in a failover and cannot be made again; do it by hand',
      );
    }
  }
  return { made, notMade };
}

/** A change in several parts has one entry in the audit, which each part updates: its states, in their order. */
type States = ReadonlyMap<string, (string | null)[]>;

function statesOf(changes: readonly KeptChange[]): States {
  const states = new Map<string, (string | null)[]>();
  for (const { id, after } of changes.flatMap(({ audits }) => audits)) {
    const known = states.get(id);
    if (known) known.push(after);
    else states.set(id, [after]);
  }
  return states;
}

async function restoreChange(change: KeptChange, states: States): Promise<Outcome> {
  const { db, at, audits } = change;
  const statements = change.statements.map(({ sql, parameters }) =>
    CompiledQuery.raw(sql, [...parameters]),
  );
  if (audits.length === 0) {
    for (const statement of statements) await db.executeQuery(statement);
    return 'kept';
  }
  const ids = audits.map(({ id }) => id);
  const found = await db
    .selectFrom('audit')
    .select(['id', 'after'])
    .where('id', 'in', ids)
    .execute();
  const afterOf = new Map(found.map((row) => [row.id, row.after]));
  const isThere = audits.every(({ id, after }) => {
    const all = states.get(id) ?? [];
    return afterOf.has(id) && all.lastIndexOf(afterOf.get(id) ?? null) >= all.indexOf(after);
  });
  if (isThere) return 'kept';
  if (statements.length === 0) return { refusedBecause: 'it was too large to be kept' };
  const newer = await db
    .selectFrom('audit')
    .select(['subject', 'action'])
    .where('subject', 'in', [...new Set(audits.map(({ subject }) => subject))])
    .where('at', '>', at)
    .where('id', 'not in', ids)
    .execute();
  const isDone = (one: { subject: string; action: string }) =>
    newer.some(({ subject, action }) => subject === one.subject && action === one.action);
  if (audits.some(isDone)) return { refusedBecause: 'somebody has done the same to it later' };
  try {
    await db.transaction().execute(async (transaction) => {
      for (const statement of statements) await transaction.executeQuery(statement);
    });
    return 'restored';
  } catch (error) {
    if (!`${(error as { code?: string }).code}`.startsWith(CONFLICT)) throw error;
    return { refusedBecause: (error as Error).message };
  }
}

/**
 * Marks of `bellhop move` in the table `meta`. Until a move is complete, its target is refused; afterwards, its
 * source is. So no two processes ever deliver the same events.
 */
import type { Kysely } from 'kysely';
import { ConfigError, PreconditionFailed } from '../base/config/config.ts';
import type { Schema } from './schema.ts';

export interface MoveMarks {
  /** In the source, once everything is in the target. */
  moved?: { id: string; to: string; at: string };
  /** In the target, until the source is marked. */
  arriving?: { id: string; state: 'copying' | 'complete' | 'undone'; from?: string };
  /** In the target, until a process has started on it. */
  unused?: { id: string };
}

const NAMES = { moved: 'moved', arriving: 'arriving', unused: 'unused_since_move' } as const;
const MARK_NAMES: readonly string[] = Object.values(NAMES);

/** What running processes tell each other, in `meta` as well. */
export const OF_PROCESSES = { keysInUse: 'keys_in_use', alone: 'alone' } as const;

/** Whether this name in `meta` is about the data, which moves, not about a move or a process. */
export function isOfData(name: string): boolean {
  return ![...MARK_NAMES, ...Object.values(OF_PROCESSES)].includes(name);
}

export async function readMarks(db: Kysely<Schema>): Promise<MoveMarks> {
  const rows = await db
    .selectFrom('meta')
    .selectAll()
    .where('name', 'in', [...MARK_NAMES])
    .execute();
  const marks: Record<string, unknown> = {};
  for (const [key, name] of Object.entries(NAMES)) {
    const row = rows.find((one) => one.name === name);
    if (row) marks[key] = JSON.parse(row.value);
  }
  return marks as MoveMarks;
}

/** Null deletes a mark. */
type MarkChanges = { [Key in keyof MoveMarks]: MoveMarks[Key] | null };

/** All or none are written. */
export async function writeMarks(db: Kysely<Schema>, marks: MarkChanges): Promise<void> {
  await db.transaction().execute((transaction) => writeMarksIn(transaction, marks));
}

export async function writeMarksIn(transaction: Kysely<Schema>, marks: MarkChanges): Promise<void> {
  for (const [key, mark] of Object.entries(marks)) {
    const name = NAMES[key as keyof MoveMarks];
    await transaction.deleteFrom('meta').where('name', '=', name).execute();
    if (!mark) continue;
    const value = JSON.stringify(mark);
    await transaction.insertInto('meta').values({ name, value }).execute();
  }
}

/** For the start of a process. From then on, the move to this database cannot be undone. */
export async function refuseIfMoved(db: Kysely<Schema>, where: string): Promise<void> {
  const { moved, arriving, unused } = await readMarks(db);
  if (moved) {
    throw new ConfigError(
      `${where} was moved to ${moved.to} at ${moved.at}; use that database, or see docs/operating/move.md for the way back.`,
      'data',
    );
  }
  if (arriving?.state === 'undone') {
    throw new ConfigError(
      `${where} was the target of a move that was undone; use the source.`,
      'data',
    );
  }
  if (arriving) {
    throw new PreconditionFailed(
      `${where} is the target of a move that has not ended; wait for it, or follow docs/operating/move.md if it was interrupted.`,
      'busy',
    );
  }
  if (unused) await db.deleteFrom('meta').where('name', '=', NAMES.unused).execute();
}

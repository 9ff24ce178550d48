/**
 * Moves one environment from one database to another, of the other engine or the same. Only one of the two can
 * be used at any time: the target is refused until everything is in it and counted, and the source from then
 * on. A move that was killed leaves the source as it was.
 */
import { randomUUID } from 'node:crypto';
import { ConfigError, PreconditionFailed } from '../../base/config/config.ts';
import { inPages } from '../../base/pages.ts';
import { isOfData, readMarks, writeMarks } from '../../store/move-marks.ts';
import type { MoveEnd, Tables } from './move-end.ts';

/** Tables that others refer to, in this order. */
const FIRST = ['meta', 'partner', 'grant_set', 'api_key'];
const ADMISSIONS_PER_BATCH = 1_000;

export interface MovedTable {
  table: string;
  rows: number;
}

export interface MoveParts {
  source: MoveEnd;
  target: MoveEnd;
  nowMs: number;
  onProgress(table: string, done: number, total: number): void;
}

/** Copies and counts. The target stays refused. */
export async function copyAll(parts: MoveParts, id: string): Promise<MovedTable[]> {
  const { source, target, nowMs } = parts;
  const from = source.name;
  await writeMarks(target.db, { arriving: { id, state: 'copying', from } });
  const moved = await copyTables(parts, source.tables, target.tables, '');
  if (source.backOffice && target.backOffice) {
    moved.push(...(await copyTables(parts, source.backOffice, target.backOffice, 'back office ')));
  }
  moved.push({ table: 'counted calls', rows: await copyAdmissions(source, target, nowMs) });
  await target.continueAfter(await source.lastSeq());
  await target.settle();
  await writeMarks(target.db, { arriving: { id, state: 'complete', from } });
  return moved;
}

/**
 * In this order, a crash in between leaves none of them usable, and the same move again completes it. Copying
 * takes minutes, so the source is checked once more: what a node wrote meanwhile would be lost.
 */
export async function handOver({ source, target, nowMs }: MoveParts, id: string): Promise<void> {
  const at = new Date(nowMs).toISOString();
  await source.refuseIfInUse();
  await writeMarks(source.db, { moved: { id, to: target.name, at }, unused: null });
  await writeMarks(target.db, { arriving: null, unused: { id } });
}

/** Gives the source back, if nobody has used the target. */
export async function undoMove(source: MoveEnd, target: MoveEnd): Promise<void> {
  const { moved } = await readMarks(source.db);
  if (!moved) throw new ConfigError(`${source.where} was not moved; there is nothing to undo.`);
  const { unused, arriving } = await readMarks(target.db);
  // The second if the move, or an earlier attempt to undo it, was interrupted.
  if (unused?.id !== moved.id && arriving?.id !== moved.id) {
    throw new ConfigError(
      `${target.where} has been used since the move, so its data would be lost; move it back instead (docs/operating/move.md).`,
    );
  }
  await writeMarks(target.db, { arriving: { id: moved.id, state: 'undone' }, unused: null });
  await writeMarks(source.db, { moved: null });
}

export function newMoveId(): string {
  return randomUUID();
}

async function copyTables(
  { onProgress }: MoveParts,
  from: Tables,
  to: Tables,
  prefix: string,
): Promise<MovedTable[]> {
  const [source, target] = [await from.shapes(), await to.shapes()];
  const moved: MovedTable[] = [];
  for (const table of inOrder(source.keys())) {
    const columns = source.get(table) ?? [];
    refuseOtherShape(table, columns, target.get(table));
    const total = await from.count(table);
    const hasMarks = table === 'meta' && prefix === '';
    let done = 0;
    for await (const batch of from.read(table)) {
      const rows = hasMarks ? batch.filter(({ name }) => isOfData(String(name))) : batch;
      if (rows.length > 0) await to.write(table, columns, rows);
      done += rows.length;
      onProgress(prefix + table, done, total);
    }
    // The mark of this move is in the target already.
    const written = (await to.count(table)) - (hasMarks ? 1 : 0);
    if (written !== done) {
      throw new PreconditionFailed(
        `${prefix}${table}: ${done} rows were read, but the target has ${written}; the source is unchanged. Clean the target and move again.`,
      );
    }
    moved.push({ table: prefix + table, rows: done });
  }
  return moved;
}

function inOrder(tables: Iterable<string>): string[] {
  const rank = (table: string) => {
    const index = FIRST.indexOf(table);
    return index < 0 ? FIRST.length : index;
  };
  return [...tables].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

function refuseOtherShape(table: string, columns: readonly string[], others?: readonly string[]) {
  const missing = columns.filter((column) => !others?.includes(column));
  if (missing.length === 0) return;
  throw new PreconditionFailed(
    `The target has no ${missing.join(', ')} in ${table}; both databases must be of the same release.`,
  );
}

/** What still counts towards a limit. Each engine keeps it in its own form. */
async function copyAdmissions(source: MoveEnd, target: MoveEnd, nowMs: number): Promise<number> {
  let copied = 0;
  for await (const page of inPages(ADMISSIONS_PER_BATCH, source.journal.load(nowMs))) {
    await target.journal.append(page);
    copied += page.length;
  }
  return copied;
}

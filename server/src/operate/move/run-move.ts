/**
 * The whole of `bellhop move`: opens both ends, copies, publishes the target and hands over. Also completes a
 * move that was interrupted at its end, and undoes one. `move.ts` has the steps.
 */
import { ConfigError, PreconditionFailed } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import { readOwner } from '../../store/identity.ts';
import { readMarks } from '../../store/move-marks.ts';
import { copyAll, handOver, type MovedTable, newMoveId, undoMove } from './move.ts';
import { isPostgresUrl, type MoveEnd } from './move-end.ts';

export interface MoveRequest {
  environment: EnvironmentName;
  /** Each a data folder or the address of a PostgreSQL database. */
  from: string;
  to: string;
  nowMs: number;
  log: Log;
  onProgress(table: string, done: number, total: number): void;
}

/** Undefined if it only had to complete a move that was interrupted at its very end. */
export async function runMove(request: MoveRequest): Promise<MovedTable[] | undefined> {
  const { from, to } = request;
  if (from === to || (!isPostgresUrl(from) && !isPostgresUrl(to))) {
    throw new ConfigError(
      'One of the two must be a PostgreSQL database; to copy a data folder, use "bellhop backup" and "bellhop restore".',
    );
  }
  const giveUp = isPostgresUrl(to) ? () => {} : await claim(to, request.environment);
  try {
    return await moveClaimed(request);
  } catch (error) {
    giveUp();
    throw error;
  }
}

async function claim(dataDir: string, environment: EnvironmentName): Promise<() => void> {
  const { claimFolder } = await import('./claim-folder.ts');
  return claimFolder(dataDir, environment);
}

async function moveClaimed(request: MoveRequest): Promise<MovedTable[] | undefined> {
  await using source = await openEnd(request.from, request);
  await refuseOtherEnvironment(source, request.environment);
  const { moved, arriving } = await readMarks(source.db);
  if (arriving) {
    throw new PreconditionFailed(
      `${source.where} is itself the target of a move that has not ended; complete that move first.`,
    );
  }
  if (moved) {
    await completeMove(request, source, moved.id);
    return undefined;
  }
  return await moveFrom(request, source);
}

export async function runUndo(request: MoveRequest): Promise<void> {
  await using source = await openEnd(request.from, request);
  await using target = await openEnd(request.to, request);
  await undoMove(source, target);
}

async function moveFrom(request: MoveRequest, source: MoveEnd): Promise<MovedTable[]> {
  const { to, environment, log, nowMs, onProgress } = request;
  const id = newMoveId();
  if (isPostgresUrl(to)) {
    const { createPostgresTarget } = await import('./postgres.ts');
    await using target = await createPostgresTarget(to, log, { id, from: source.name });
    const parts = { source, target, nowMs, onProgress };
    const copied = await copyAll(parts, id);
    await handOver(parts, id);
    return copied;
  }
  const { createSqliteTarget, publishSqliteTarget } = await import('./sqlite.ts');
  let copied: MovedTable[];
  {
    await using draft = await createSqliteTarget(to, environment, source.name);
    copied = await copyAll({ source, target: draft, nowMs, onProgress }, id);
  }
  publishSqliteTarget(to, environment);
  await using target = await openEnd(to, request);
  await handOver({ source, target, nowMs, onProgress }, id);
  return copied;
}

/** The source is marked, so everything is in the target; at most the target's mark is left. */
async function completeMove(request: MoveRequest, source: MoveEnd, id: string): Promise<void> {
  await using target = await openEnd(request.to, request);
  const { arriving, unused } = await readMarks(target.db);
  if (unused?.id === id) return;
  if (arriving?.id !== id || arriving.state !== 'complete') {
    throw new ConfigError(`${source.where} was moved already; see docs/operating/move.md.`);
  }
  await handOver({ source, target, nowMs: request.nowMs, onProgress() {} }, id);
}

async function openEnd(address: string, { environment, log }: MoveRequest): Promise<MoveEnd> {
  // Each engine is loaded only if it is used.
  if (isPostgresUrl(address)) {
    const { openPostgresEnd } = await import('./postgres.ts');
    return openPostgresEnd(address, log);
  }
  const { openSqliteEnd } = await import('./sqlite.ts');
  return openSqliteEnd(address, environment);
}

async function refuseOtherEnvironment(
  source: MoveEnd,
  environment: EnvironmentName,
): Promise<void> {
  const owner = await readOwner(source.db);
  if (owner === environment) return;
  throw new ConfigError(`${source.where} belongs to ${owner}; pass --environment ${owner}.`);
}

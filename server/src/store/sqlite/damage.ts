/**
 * Looks for damaged pages: a disk that lost or mixed up writes, or a file that was overwritten. SQLite
 * notices damage only when it reads such a page, which may be weeks later, when the last good backup is
 * gone. So every start checks the files. SQLite keeps no checksums of a database's pages: `quick_check`
 * finds pages, indexes and free lists that do not fit together, but not a changed letter in a text.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BroadcastChannel } from 'node:worker_threads';
import { PreconditionFailed } from '../../base/config/config.ts';
import type { StorageHealth } from '../storage-health.ts';
import { storageTroubleOf } from '../storage-trouble.ts';

/** Where docs/operating explains what to do. */
const WHAT_TO_DO = 'docs/operating/damaged-database.md';

/**
 * The first thing that is wrong; undefined if nothing is. On a connection of its own, whose cache would
 * otherwise keep the whole file in memory.
 */
export function findDamage(file: string): string | undefined {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const row = connection.prepare('pragma quick_check(1)').get();
    const finding = String(row?.quick_check);
    // It starts with a heading, "*** in database main ***".
    return finding === 'ok' ? undefined : finding.replace(/^\*\*\*.*\*\*\*\s*/, '');
  } catch (error) {
    if (storageTroubleOf(error) !== 'storage_damaged') throw error;
    return (error as Error).message;
  } finally {
    connection.close();
  }
}

/** Refuses a start. */
export function damagedFile(file: string, finding: string): PreconditionFailed {
  return new PreconditionFailed(
    `${file} is damaged or not a database of Bellhop (${finding}); restore a backup (${WHAT_TO_DO}) and start Bellhop again.`,
  );
}

/** Of the database and of what is still in its write-ahead log. */
export function bytesOf(file: string): number {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(file) + size(`${file}-wal`);
}

/**
 * Both threads of a process use the same files, and each has its own `StorageHealth`. What one of them
 * finds damaged, the other must not write to either. Returns a function that ends the sharing.
 */
export function shareDamage(folder: string, health: StorageHealth): () => void {
  const channel = new BroadcastChannel(`bellhop: damage in ${resolve(folder)}`);
  channel.onmessage = () => health.learnOfDamage();
  channel.unref();
  health.onDamage(() => channel.postMessage(null));
  return () => channel.close();
}

/** PostgreSQL on a small disk of its own, a tmpfs, which the fault fills to the last byte. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../kit/postgres.ts';
import { away } from './postgres-faults.ts';
import { type SingleFault, WHILE_MS } from './single-fault.ts';

const DISK = 'disk';
const DISK_BYTES = 320 * 1_024 * 1_024;
const BLOCK = Buffer.alloc(8_192);

export const diskFull: SingleFault = {
  about: 'The disk of PostgreSQL is full for 8 s. Needs root, to mount the disk.',
  recoversFrom: 'end',
  // Otherwise it would write into old segments for a long time before it needs a new one.
  postgresSettings: ['max_wal_size=32MB', 'min_wal_size=32MB', 'wal_recycle=off'],
  placePostgres(folder, closing) {
    const disk = join(folder, DISK);
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
    closing.defer(() => void execFileSync('umount', ['--lazy', disk]));
    for (const path of [folder, disk]) chmodSync(path, 0o755);
    return { parentFolder: disk };
  },
  strike: ({ postgres: { server }, folder, ledger }) =>
    away(ledger, 'disk of the database full', async () => {
      const ballast = join(folder, DISK, 'ballast');
      for (let passed = 0; passed < 2 * WHILE_MS; passed += 100) {
        // Again and again: PostgreSQL frees some when it removes old segments.
        fill(ballast);
        await sleep(100);
      }
      rmSync(ballast);
      // Without room for its log, it gives up, and cannot recover by itself either.
      while (!(await query(server.url, 'select 1').catch(() => undefined))) {
        if (server.pid === null) await server.restart();
        else await sleep(50);
      }
    }),
};

function fill(file: string): void {
  const descriptor = openSync(file, 'a');
  try {
    for (;;) writeSync(descriptor, BLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}

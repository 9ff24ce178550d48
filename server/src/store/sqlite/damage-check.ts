/**
 * Checks large databases beside the running Bellhop, in a process of its own: SQLite's check cannot be
 * interrupted, and a thread in the middle of one would hold up a stop until it ends. Partner calls and
 * webhooks go on meanwhile. The write-ahead log cannot start over while a check reads, so it grows.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../base/log.ts';
import type { StorageHealth } from '../storage-health.ts';
import { StorageError } from '../storage-trouble.ts';
import { bytesOf, damagedFile, findDamage } from './damage.ts';

/**
 * A check takes 3.4 s per GiB if the file is in memory and 14 s if it is not (1,000,000 deliveries, 443 MiB,
 * 2 busy cores). So this many bytes delay a start by 0.1 to 0.4 s.
 */
export const CHECKED_BEFORE_READY_BYTES = 33_554_432;

const PROGRAM = fileURLToPath(new URL('./damage-check-process.ts', import.meta.url));
/** Other work goes first. */
const LOW_PRIORITY = 10;

export interface DamageCheck {
  /** Resolves when nothing reads the files any more. */
  stop(): Promise<void>;
}

/** Leaves larger files to `startDamageCheck`. */
export function refuseIfDamaged(file: string): void {
  if (isLarge(file)) return;
  const finding = findDamage(file);
  if (finding !== undefined) throw damagedFile(file, finding);
}

/**
 * SQLite takes an empty file for a new database. It is new only if the files that Bellhop creates after it
 * do not exist yet.
 */
export function refuseIfEmptied(file: string, laterFile: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.size !== 0 || bytesOf(laterFile) === 0) return;
  throw damagedFile(file, `it is empty, although ${laterFile} is not`);
}

function isLarge(file: string): boolean {
  return bytesOf(file) > CHECKED_BEFORE_READY_BYTES;
}

/** Checks those of the files that are too large to be checked before the start. */
export function startDamageCheck(
  databaseFiles: readonly string[],
  { health, log }: { health: StorageHealth; log?: Log | undefined },
): DamageCheck {
  const files = databaseFiles.filter(isLarge);
  if (files.length === 0) return { stop: async () => {} };
  const startedAtMs = Date.now();
  // Without the flag, SIGUSR1 would open a debugger: see bin/bellhop.js.
  const child = spawn(process.execPath, ['--disable-sigusr1', PROGRAM, ...files], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {},
  });
  child.unref();
  lower(child);
  let stopped = false;
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => finish(error));
    child.once('close', (code) => finish(code));
    function finish(outcome: unknown): void {
      if (!stopped) report(outcome);
      resolve();
    }
  });

  function report(outcome: unknown): void {
    if (outcome !== 0) {
      log?.warn({ files, outcome }, 'The database could not be checked for damage.');
    } else if (text === '') {
      const tookMs = Date.now() - startedAtMs;
      log?.info({ files, took_ms: tookMs }, 'The database was checked; it is not damaged.');
    } else {
      health.note(new StorageError('storage_damaged', new Error(text.trim())));
    }
  }

  return {
    async stop() {
      stopped = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function lower({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

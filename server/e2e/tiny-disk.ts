/** A disk of a few megabytes that a test can fill. Not available if mounting is not permitted. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const DISK_BYTES = 6_291_456;
const BLOCK = Buffer.alloc(4_096);

export const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-mount-'));
  try {
    mount(folder);
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

export interface TinyDisk {
  folder: string;
  /** Fills it to the last byte; can be repeated after some space was freed. */
  fill(): void;
  makeRoom(): void;
}

/** Unmounted after the test, once everything that the test started on it has stopped. */
export function tinyDisk(): TinyDisk {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-disk-'));
  mount(folder);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (;;) writeSync(file, BLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast),
  };
}

function mount(folder: string): void {
  const options = `size=${DISK_BYTES}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
}

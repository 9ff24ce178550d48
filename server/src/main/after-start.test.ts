import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const header = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
const hasGlibc = header.header?.glibcVersionRuntime !== undefined;

/** 98 of 100 MB are free, in pieces between what is still in use. */
const SCRIPT = `
  const { returnFreeMemory } = await import(${JSON.stringify(new URL('./after-start.ts', import.meta.url))});
  let all = Array.from({ length: 100_000 }, () => Buffer.allocUnsafeSlow(1_024).fill(1));
  const kept = all.filter((_, n) => n % 50 === 0);
  all = [];
  gc();
  // The first one may still be sweeping.
  gc();
  const before = process.memoryUsage.rss();
  returnFreeMemory();
  console.log(before - process.memoryUsage.rss(), kept.length);`;

test.runIf(hasGlibc)('memory that is free, but not at an end, returns to the system', async () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', SCRIPT];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout.split(' ')[0])).toBeGreaterThan(30 * 1_048_576);
  expect(stderr).toBe('');
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../base/logging/logger.ts';
import { StorageHealth } from './storage-health.ts';

const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 });
const BROKEN = Object.assign(new Error('disk I/O error'), { errcode: 10 });
const DELETED = Object.assign(new Error('moved'), { errcode: 1_032 });

let refusing: Error | undefined;
let probes: number;
let lines: string[];
let health: StorageHealth;

beforeEach(() => {
  vi.useFakeTimers();
  refusing = undefined;
  probes = 0;
  lines = [];
  const log = createLogger('info', keep);
  health = new StorageHealth(async () => {
    probes++;
    if (refusing) throw refusing;
  }, log);
});

function keep(line: string): void {
  const { level, reason, msg } = JSON.parse(line);
  lines.push(reason ? `${level} ${reason}: ${msg}` : `${level}: ${msg}`);
}

afterEach(async () => {
  await health.stop();
  vi.useRealTimers();
});

test('logs one line for a thousand refusals, and one when the trouble ends', async () => {
  refusing = FULL;
  for (let i = 0; i < 1_000; i++) health.note(FULL);
  expect(lines).toEqual([expect.stringMatching(/^error SQLITE_FULL: The disk .* is full/)]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toHaveLength(1);
  expect(health.trouble).toBe('storage_full');

  refusing = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(health.trouble).toBeUndefined();
  expect(lines).toEqual([expect.anything(), 'warn: The database can be written to again.']);
  const before = probes;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probes).toBe(before);
});

test('logs a line for another trouble', () => {
  health.note(FULL);
  health.note(BROKEN);
  expect(health.trouble).toBe('storage_failing');
  expect(lines).toHaveLength(2);
});

test('ignores errors that the disk did not cause', async () => {
  health.note(new Error('a constraint'));
  await health.check();
  expect([lines, probes]).toEqual([[], 0]);
});

test('concurrent checks share one probe', async () => {
  refusing = FULL;
  health.note(FULL);
  const asked = await Promise.allSettled([health.check(), health.check(), health.check()]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(probes).toBe(1);
});

test('a folder that is gone stays gone', async () => {
  health.note(DELETED);
  health.note(FULL);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(health.check()).rejects.toMatchObject({ trouble: 'storage_gone' });
  expect(() => health.refuseIfGone()).toThrow('data folder');
  expect(probes).toBe(0);
});

test('does not probe after the stop', async () => {
  refusing = FULL;
  health.note(FULL);
  await health.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(probes).toBe(0);
});

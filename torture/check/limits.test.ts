import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { Ledger } from '../ledger.ts';
import type { LimitedKey } from '../limited-keys.ts';
import { BellhopNode } from '../nodes.ts';
import type { RedisLinks } from '../redis.ts';
import { checkLimits } from './limits.ts';

const KEY: LimitedKey = {
  environment: 'sandbox',
  keyId: '7',
  authorization: '',
  requests: 2,
  seconds: 10,
};
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const REDIS: RedisLinks = { settings: {}, to: {} as RedisLinks['to'] };

/** Calls of two nodes with Redis; `logs` are the lines of the first, or of both. Returns what was violated. */
async function violations(
  calls: { atMs: number; status?: number }[],
  { logs = [] as string[], ofBoth = false, isShared = true } = {},
): Promise<string[]> {
  const logFolder = await temporaryFolder();
  const ledger = new Ledger();
  const nodes = ['one', 'two'].map(
    (name) =>
      new BellhopNode(name, {
        settings: {},
        redis: isShared ? REDIS : undefined,
        logFolder,
        ledger,
      }),
  );
  writeFileSync(join(logFolder, 'one.log'), logs.join('\n'));
  writeFileSync(join(logFolder, 'two.log'), ofBoth ? logs.join('\n') : '');
  for (const { atMs, status = 200 } of calls) {
    const sentMs = START_MS + atMs;
    const receivedMs = sentMs + 5;
    ledger.calls.push({ key: KEY, method: 'GET', sentMs, receivedMs, status, problem: undefined });
  }
  checkLimits(ledger, nodes);
  return ledger.violations.map(({ rule }) => rule);
}

function line(atMs: number, msg: string): string {
  const time = new Date(START_MS + atMs).toISOString();
  return JSON.stringify({ level: 'warn', time, environment: 'sandbox', msg });
}

const LOST = 'Redis is out of reach (it is gone): this node holds the limits by itself.';
const BACK = 'Redis is back: the limits are shared again.';

test('one call too many in a window is a violation, one in the next window is none', async () => {
  const full = [{ atMs: 0 }, { atMs: 5_000 }];
  expect(await violations([...full, { atMs: 9_990 }])).toEqual(['no limit is exceeded']);
  expect(await violations([...full, { atMs: 10_000 }])).toEqual([]);
  expect(await violations([...full, { atMs: 9_990, status: 429 }])).toEqual([]);
});

test('a node that alone is without Redis may admit its share, and only around that time', async () => {
  const calls = [0, 3_500, 4_000].map((atMs) => ({ atMs }));
  const logs = [line(2_500, LOST), line(4_500, BACK)];
  expect(await violations(calls, { logs })).toEqual([]);
  expect(await violations([...calls, { atMs: 5_000 }], { logs })).toEqual(['no limit is exceeded']);
  const later = [line(20_000, LOST), line(22_000, BACK)];
  expect(await violations(calls, { logs: later })).toEqual(['no limit is exceeded']);
});

test('nodes that lose Redis together may admit what they had not heard of each other', async () => {
  const logs = [line(2_500, LOST), line(4_500, BACK)];
  const heard = [0, 500, 3_000].map((atMs) => ({ atMs }));
  expect(await violations(heard, { logs, ofBoth: true })).toEqual(['no limit is exceeded']);
  const unheard = [500, 2_000, 3_000].map((atMs) => ({ atMs }));
  expect(await violations(unheard, { logs, ofBoth: true })).toEqual([]);
});

test('without Redis at all, each node has the limit for itself', async () => {
  const calls = [0, 1_000, 2_000, 3_000].map((atMs) => ({ atMs }));
  expect(await violations(calls, { isShared: false })).toEqual([]);
  expect(await violations([...calls, { atMs: 4_000 }], { isShared: false })).toEqual([
    'no limit is exceeded',
  ]);
});

test('a valid call that gets 401 is a violation, one that gets 500 is none', async () => {
  expect(await violations([{ atMs: 0, status: 401 }])).toEqual([
    'a valid call is answered or refused by its limit',
  ]);
  expect(await violations([{ atMs: 0, status: 500 }])).toEqual([]);
});

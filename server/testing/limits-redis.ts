/** For tests of limits in Redis: nodes that report when they lose it, and access to its data. */
import { randomUUID } from 'node:crypto';
import { createClient, RESP_TYPES } from '@redis/client';
import { expect, onTestFinished } from 'vitest';
import { askRedis } from '../../kit/ask-redis.ts';
import type { ThrowAwayServer } from '../../kit/throw-away-server.ts';
import { systemClock } from '../src/base/clock.ts';
import type { AdmissionJournal, Limiter, Window } from '../src/limiter/limiter.ts';
import { createRedisLimiter } from '../src/limiter/redis/shared-limiter.ts';

export interface Node {
  limiter: Limiter;
  /** The messages that it logged. */
  said: string[];
  /** Resolves when the node reports trouble (or no longer does), at once if it already does. */
  becomes(state: 'troubled' | 'well'): Promise<void>;
}

export function freshPrefix(): string {
  return `bellhop-test:{${randomUUID()}}`;
}

export async function startNode(
  url: string,
  prefix: string,
  journal?: AdmissionJournal,
): Promise<Node> {
  let waiting: { state: string; resolve: () => void }[] = [];
  const said: string[] = [];
  const note = (_: unknown, message?: string) => void said.push(message ?? '');
  const log = { info: note, warn: note };
  const limiter = await createRedisLimiter({
    ...{ url, prefix, clock: systemClock, log, onTrouble },
    ...(journal && { journal }),
  });
  onTestFinished(() => limiter.close());
  return {
    limiter,
    said,
    async becomes(state) {
      if (stateOf(limiter.trouble()) === state) return;
      await new Promise<void>((resolve) => waiting.push({ state, resolve }));
    },
  };

  function onTrouble(trouble: string | undefined): void {
    const state = stateOf(trouble);
    for (const one of waiting) if (one.state === state) one.resolve();
    waiting = waiting.filter((one) => one.state !== state);
  }
}

/** How many of this many successive calls of `overview/` are admitted. */
export async function admitted({ limiter }: Node, times: number, window: Window): Promise<number> {
  let count = 0;
  for (let i = 0; i < times; i++) {
    if ((await limiter.admit('7', 'overview/', window)).admitted) count += 1;
  }
  return count;
}

export async function remaining({ limiter }: Node, window: Window): Promise<number> {
  return (await limiter.standing('7', 'overview/', window)).remaining;
}

/** Every node has heard what Redis had to tell it until now: the second of two beats has begun since. */
export async function allHaveHeard(url: string, prefix: string): Promise<void> {
  const lastBeats = async () => {
    const fields = await askRedis({ url }, 'HGETALL', `${prefix}:nodes`);
    const ofNodes = Object.entries(fields as object).filter(([name]) => !name.startsWith('#'));
    return ofNodes.map(([, time]) => time);
  };
  for (let beats = 0; beats < 2; beats++) {
    const before = await lastBeats();
    await expect
      .poll(async () => (await lastBeats()).some((time) => before.includes(time)))
      .toBe(false);
  }
}

/** From here on, no replica gets what this server writes. */
export async function loseReplicasOf(server: { url: string }): Promise<void> {
  await askRedis(server, 'ACL', 'SETUSER', 'default', '-psync', '-sync');
  await askRedis(server, 'CLIENT', 'KILL', 'TYPE', 'replica');
}

/** Two nodes tell a promoted replica what they admitted and it never got. The primary is gone afterwards. */
export async function losesNothingByPromotion(
  { primary, replica, url }: { primary: ThrowAwayServer; replica: { url: string }; url: string },
  prefix: string,
): Promise<void> {
  const window = { requests: 5, seconds: 60 };
  const one = await startNode(url, prefix);
  const other = await startNode(url, prefix);
  expect(await admitted(one, 1, window)).toBe(1);
  await loseReplicasOf(primary);
  expect(await admitted(one, 1, window)).toBe(1);
  expect(await admitted(other, 1, window)).toBe(1);
  await primary.kill();
  for (const node of [one, other]) await node.becomes('troubled');
  expect(await admitted(other, 1, window)).toBe(1);
  for (const node of [one, other]) await node.becomes('well');
  expect(await remaining(one, window)).toBe(1);
  expect(await admitted(other, 2, window)).toBe(1);
  expect(await (await openRedis(replica.url)).admissions(prefix)).toHaveLength(5);
}

function stateOf(trouble: string | undefined): 'troubled' | 'well' {
  return trouble === undefined ? 'well' : 'troubled';
}

/** Runs commands as an operator would, beside the limiter. */
export async function openRedis(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.destroy());
  const raw = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  return {
    send: (...args: string[]) => client.sendCommand(args),
    put: (key: string, value: Buffer) => client.set(key, value),
    /** The admissions that Redis holds for a key's calls of `overview/`. */
    async admissions(prefix: string, keyId = '7') {
      const ring = await raw.get(`${prefix}:ring:${keyId}:overview/`);
      return ring ? slotsOf(ring) : [];
    },
  };
}

const HEAD_BYTES = 120;
const SLOT_BYTES = 32;

/** See redis/scripts.ts for the form. */
function slotsOf(ring: Buffer): { atMs: number; id: string }[] {
  const [capacity, newest, size] = [5, 6, 7].map((n) => ring.readDoubleBE(24 + n * 8)) as [
    number,
    number,
    number,
  ];
  return Array.from({ length: size }, (_, n) => {
    const slot = (newest - size + 1 + n + capacity) % capacity;
    const from = HEAD_BYTES + slot * SLOT_BYTES;
    return {
      atMs: ring.readDoubleBE(from) / 1_000,
      id: ring.toString('latin1', from + 8, from + SLOT_BYTES).trimEnd(),
    };
  });
}

/** A ring with one admission at that instant. */
export function ringWith(atMicros: number, id: string, window: Window): Buffer {
  const paddedId = Buffer.from(id.padEnd(24), 'latin1');
  const spanMicros = window.seconds * 1_000_000;
  const head = [window.requests, spanMicros, 0, 0, 0, 1, 0, 1, 1, atMicros, atMicros, 0];
  const numbers = Buffer.alloc((head.length + 1) * 8);
  for (const [n, value] of [...head, atMicros].entries()) numbers.writeDoubleBE(value, n * 8);
  return Buffer.concat([paddedId, numbers, paddedId]);
}

/** What comes back to Bellhop from outside of the process: settings, cursors, the journal, Redis. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ConfigError, describeSettings, readConfig } from '../../src/base/config/config.ts';
import type { Admission } from '../../src/limiter/limiter.ts';
import type { RedisLink } from '../../src/limiter/redis/link.ts';
import { type Reply, ReplyReader } from '../../src/limiter/redis/protocol.ts';
import { type Answer, RedisWindows } from '../../src/limiter/redis/windows.ts';
import {
  BY_NUMBER,
  BY_NUMBER_OR_TEXT,
  readCursor,
  type SortedBy,
  writeCursor,
} from '../../src/resources/page.ts';
import { Problem } from '../../src/resources/problem.ts';
import type { Position } from '../../src/store/slice.ts';
import { readAdmissions, writeAdmissions } from '../../src/store/sqlite/admissions.ts';
import { parser } from '../target.ts';

const SECRET = /^BELLHOP_(?:.*_)?(?:MASTER_KEYS?|ADMIN_TOKEN|DATABASE_URL|REDIS_URL|SECRET)$/;

/** One `NAME=value` a line, as in an environment file. */
export const settings = parser('settings', {
  words: [
    'BELLHOP_',
    'PRODUCTION_',
    'SANDBOX_',
    '=',
    '30s,',
    '14x12h',
    '0',
    '\n',
    '..',
    'postgres://u:p@h/d',
    ',',
    '10.0.0.0/8',
  ],
  shapes: fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'HOST',
          'ROLES',
          'SANDBOX_RETRY_SCHEDULE',
          'SANDBOX_PORT',
          'MASTER_KEY',
          'SANDBOX_REDIS_URL',
          'PRODUCTION_RECEIVER_ALLOW',
          'SANDBOX_OFFER',
        ),
        fc.oneof(
          fc.string(),
          fc.nat().map((n) => `${n}s`),
          fc.webUrl(),
          fc.ipV4(),
        ),
      ),
    )
    .map((lines) => lines.map(([name, value]) => `BELLHOP_${name}=${value}`).join('\n')),
  check(input) {
    const text = input.toString();
    const variables = Object.fromEntries(
      text.split('\n').map((line) => {
        const equals = line.indexOf('=');
        return equals < 0 ? [line, ''] : [line.slice(0, equals), line.slice(equals + 1)];
      }),
    );
    const secrets = Object.entries(variables)
      .filter(([name]) => SECRET.test(name))
      .map(([, value]) => value.trim())
      .filter((secret) => isTelling(secret) && text.split(secret).length === 2);
    const shown = JSON.stringify(describeSettings(variables));
    try {
      const { production, sandbox } = readConfig(variables);
      for (const { retrySchedule } of [production, sandbox]) {
        assert.ok(
          retrySchedule.length <= 1_000 && retrySchedule.every((ms) => ms <= 366 * 86_400_000),
        );
      }
    } catch (error) {
      assert.ok(error instanceof ConfigError, `threw ${error}`);
      for (const sentence of error.message.split('\n')) assert.match(sentence, /^BELLHOP_/);
      for (const secret of secrets) {
        assert.ok(!error.message.includes(secret), 'an error shows a secret');
      }
    }
    for (const secret of secrets) {
      assert.ok(!shown.includes(JSON.stringify(secret)), 'the list of settings shows a secret');
    }
  },
});

const DEFAULTS = JSON.stringify(describeSettings({}));

/** Short values are also part of ordinary sentences, and defaults are shown to everyone. */
function isTelling(secret: string): boolean {
  return (
    !DEFAULTS.includes(secret) &&
    secret.length >= 12 &&
    !secret.startsWith('BELLHOP_') &&
    /\d/.test(secret)
  );
}

export const cursor = parser('cursor', {
  words: ['-', '.', '_', 'par_', '9007199254740993', 'AAA'],
  shapes: fc.constantFrom(BY_NUMBER, BY_NUMBER_OR_TEXT).chain((one) => {
    return fc.stringMatching(new RegExp(one));
  }),
  check(input) {
    for (const sortedBy of ['number', 'text'] as const) checkCursor(input, sortedBy);
  },
});

function checkCursor(input: Buffer, sortedBy: SortedBy): void {
  let position: Position;
  try {
    position = readCursor(input.toString('latin1'), sortedBy);
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'validation_failed', `threw ${error}`);
    return;
  }
  const [value, id] = position;
  const fits = typeof value === 'string' ? !value.includes('\0') : Number.isSafeInteger(value);
  assert.ok(fits && !id.includes('\0'));
  assert.equal(typeof value === 'string', sortedBy === 'text');
  const again = readCursor(writeCursor(position), sortedBy);
  assert.deepEqual(again, position, 'does not round-trip');
}

const admission: fc.Arbitrary<Admission> = fc.record(
  {
    keyId: fc.string(),
    endpoint: fc.string(),
    atMs: fc.nat(),
    keepUntilMs: fc.nat(),
    window: fc.record({ requests: fc.nat(), spanMs: fc.nat() }),
    past: fc.record({ requests: fc.nat(), spanMs: fc.nat(), untilMs: fc.nat() }),
    restatedAtMs: fc.nat(),
    id: fc.string(),
    epoch: fc.string(),
  },
  { requiredKeys: ['keyId', 'endpoint', 'atMs', 'keepUntilMs'] },
);

/** A row of the journal of admissions. Rows of older versions are shorter. */
export const journalRow = parser('journal-row', {
  words: ['null', '[', ']', ',', '"7"', '1700000000000', '[100,86400000,1700000000000]'],
  shapes: fc.array(admission, { maxLength: 3 }).map((admissions) => writeAdmissions(admissions)),
  check(input) {
    let admissions: Admission[];
    try {
      admissions = readAdmissions(input.toString());
    } catch (error) {
      assert.match(String(error), /journal of admissions/, `threw ${error}`);
      return;
    }
    for (const { keyId, endpoint, atMs, keepUntilMs } of admissions) {
      assert.ok(typeof keyId === 'string' && typeof endpoint === 'string', 'a key that is no text');
      assert.ok(Number.isFinite(atMs) && Number.isFinite(keepUntilMs), 'a time that is no number');
    }
    const again = readAdmissions(writeAdmissions(admissions));
    // As JSON, which has no negative zero.
    assert.equal(JSON.stringify(again), JSON.stringify(admissions), 'does not round-trip');
  },
});

/** What arrives from a Redis, or from something in its place, in one piece and in many. */
export const redisProtocol = parser('redis-protocol', {
  words: ['\r\n', '*', '$', ':', '+', '-', '-1', '*3\r\n', '$5\r\nabcde\r\n', '*-1\r\n', '1048577'],
  check(input) {
    const whole = repliesIn([input]);
    if (whole.error) assert.match(whole.error, /does not speak the protocol of Redis|has no end/);
    const half = Math.floor(input.length / 2);
    const pieces = [
      input.subarray(0, half),
      input.subarray(half, half + 1),
      input.subarray(half + 1),
    ];
    assert.deepEqual(repliesIn(pieces), whole, 'in pieces it is read in another way');
  },
});

function repliesIn(pieces: readonly Buffer[]): { replies: Reply[]; error: string | undefined } {
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  try {
    for (const piece of pieces) reader.read(piece, (reply) => replies.push(reply));
  } catch (error) {
    return { replies, error: (error as Error).message };
  }
  return { replies, error: undefined };
}

/** The answer of a Redis, or of something in its place, to three checks of two windows. */
export const redisReply = parser('redis-reply', {
  words: ['-1', '-2', '"generation"', '1', '0', 'null', '[', ']', ',', '{}', '1e99'],
  shapes: fc
    .array(fc.oneof(fc.constantFrom(-2, -1, 0, 1, 'g'), fc.jsonValue()))
    .map((reply) => JSON.stringify(reply)),
  async check(input) {
    let reply: unknown;
    try {
      reply = JSON.parse(input.toString());
    } catch {
      return;
    }
    const link = { run: async () => reply, giveUp() {} } as unknown as RedisLink;
    const windows = new RedisWindows(link, 'fuzz', 'node', () => 0);
    const answers = ['a', 'a', 'b'].map(
      (keyId) =>
        new Promise<[Answer | undefined, unknown]>((resolve) => {
          const window = { requests: 10, seconds: 60 };
          const question = { keyId, endpoint: 'overview/', window, id: 'id', generation: '' };
          windows.ask(question, (answer, error) => resolve([answer, error]));
        }),
    );
    for (const [answer, error] of await answered(answers)) {
      if (answer === undefined) assert.ok(error instanceof Error, 'neither an answer nor an error');
      else if (typeof answer === 'object') {
        assert.equal(typeof answer.generation, 'string');
        assert.equal(typeof answer.standing.remaining, 'number');
        assert.equal(typeof answer.standing.resetInMs, 'number');
      }
    }
  },
});

/** A caller whose check is never answered would wait for ever. */
async function answered<T>(answers: readonly Promise<T>[]): Promise<T[]> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('a check was never answered')), 1_000).unref();
  });
  return Promise.race([Promise.all(answers), late]);
}

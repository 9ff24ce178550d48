import type pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { DatabaseAway } from '../../base/database-errors.ts';
import { Liveness } from './liveness.ts';
import { PromptQueries, within } from './prompt-queries.ts';

let asked: PromiseWithResolvers<pg.QueryResult>[];
let liveness: Liveness;
let prompt: PromptQueries;

beforeEach(() => {
  asked = [];
  liveness = new Liveness();
  const never = {
    query() {
      const answer = Promise.withResolvers<pg.QueryResult>();
      asked.push(answer);
      return answer.promise;
    },
  };
  prompt = new PromptQueries(never, liveness, 50);
});

const ask = () => prompt.query({ text: 'select 1' });
const answer = { rows: [], rowCount: 0, command: '', oid: 0, fields: [] };

test('an answer in time is passed on', async () => {
  const waiting = ask();
  asked[0]?.resolve(answer);
  expect(await waiting).toBe(answer);
});

test('no answer in time is a failure', async () => {
  await expect(ask()).rejects.toThrow('PostgreSQL did not answer within 0.05 s');
});

test('an answer that was here before the deadline was looked at counts', async () => {
  // As in a process that was stopped for a while: the timer is due before the socket is read.
  const late = new Promise((resolve) => setTimeout(() => setImmediate(resolve, 'answer'), 10));
  const deadline = within(10, late);
  const until = performance.now() + 30;
  while (performance.now() < until);
  expect(await deadline).toBe('answer');
});

test('while PostgreSQL is known not to answer nothing is asked of it', async () => {
  const waiting = expect(ask()).rejects.toThrow('PostgreSQL does not answer');
  liveness.missed(performance.now());
  await waiting;
  await expect(ask()).rejects.toThrow(DatabaseAway);
  expect(asked).toHaveLength(1);
  liveness.heard();
  const again = ask();
  asked[1]?.resolve(answer);
  expect(await again).toBe(answer);
});

test('one connection that is lost while others are answered is no silence', async () => {
  const askedMs = performance.now();
  liveness.heard();
  liveness.missed(askedMs);
  expect(liveness.isMissing).toBe(false);
});

test('silence is what lasts', () => {
  const lenient = new Liveness(60_000);
  lenient.missed(performance.now());
  expect([lenient.isMissing, lenient.isSilent]).toEqual([true, false]);
  lenient.heard();
  lenient.missed(performance.now() - 1);
  expect(lenient.isMissing).toBe(false);
  const old = new Liveness(1_000);
  old.missed(performance.now() - 1_000);
  old.missed(performance.now());
  expect(old.isSilent).toBe(true);
});

test('more than 2,000 do not wait', async () => {
  const waiting = Array.from({ length: 2_000 }, ask);
  await expect(ask()).rejects.toThrow('too many wait for PostgreSQL');
  for (const { resolve } of asked) resolve(answer);
  await Promise.all(waiting);
  const again = ask();
  asked.at(-1)?.resolve(answer);
  await again;
});

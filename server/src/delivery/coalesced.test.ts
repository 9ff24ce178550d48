import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Coalesced } from './coalesced.ts';

test('runs once for all requests of one turn, and once more for requests during a run', async () => {
  let runs = 0;
  let end = () => {};
  const work = new Coalesced(() => {
    runs++;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  expect(work.isIdle).toBe(true);
  work.ask();
  work.ask();
  expect([work.isIdle, runs]).toEqual([false, 0]);
  await nextTurn();
  expect(runs).toBe(1);
  work.ask();
  work.ask();
  await nextTurn();
  expect(runs).toBe(1);
  end();
  await nextTurn();
  await nextTurn();
  expect(runs).toBe(2);
  end();
  await nextTurn();
  expect([work.isIdle, runs]).toEqual([true, 2]);
});

test('synchronous work ends in the turn in which it runs', async () => {
  let runs = 0;
  const work = new Coalesced(() => {
    runs++;
  });
  work.ask();
  await nextTurn();
  expect([work.isIdle, runs]).toEqual([true, 1]);
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RedisLink } from './link.ts';
import { type Answered, RedisWindows } from './windows.ts';

const WINDOW = { requests: 10, seconds: 60 };
type Outcome = Parameters<Answered>;

/** What two checks of one window get when Redis answers with this. */
function ask(reply: unknown): Promise<Outcome[]> {
  const link = { run: async () => reply, giveUp() {} } as unknown as RedisLink;
  const windows = new RedisWindows(link, 'test', 'node', () => 0);
  const question = { keyId: '7', endpoint: 'overview/', window: WINDOW, generation: '' };
  return Promise.all(
    ['a', 'b'].map(
      (id) =>
        new Promise<Outcome>((resolve) => {
          windows.ask({ ...question, id }, (...outcome) => resolve(outcome));
        }),
    ),
  );
}

describe('the checks of one turn of the event loop', () => {
  /** Asks that often, and notes how many checks each call to Redis has, and when it goes out. */
  async function callsFor(checks: number) {
    const sizes: number[] = [];
    let answer = () => {};
    const answering = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const run = async (_script: unknown, _keys: string[], args: string[]) => {
      const size = Number(args[5]);
      sizes.push(size);
      await answering;
      return ['generation', ...Array.from({ length: size }, () => [1, 9, 1_000]).flat()];
    };
    const windows = new RedisWindows({ run } as unknown as RedisLink, 'test', 'node', () => 0);
    const question = { keyId: '7', endpoint: 'overview/', window: WINDOW, id: 'a', generation: '' };
    const asked = Array.from(
      { length: checks },
      () => new Promise<void>((resolve) => windows.ask(question, () => resolve())),
    );
    const inTurn = sizes.splice(0);
    await nextTurn();
    const atItsEnd = sizes.splice(0);
    answer();
    await Promise.all(asked);
    return { inTurn, atItsEnd, afterAnswers: sizes };
  }

  test('go out as soon as they are enough for a call, and the rest at its end', async () => {
    expect(await callsFor(1)).toEqual({ inTurn: [], atItsEnd: [1], afterAnswers: [] });
    expect(await callsFor(40)).toEqual({ inTurn: [16, 16], atItsEnd: [8], afterAnswers: [] });
  });

  test('gather while four calls are under way, but not too many for one call', async () => {
    const four = [16, 16, 16, 16];
    expect(await callsFor(100)).toEqual({ inTurn: four, atItsEnd: [], afterAnswers: [36] });
    expect(await callsFor(200)).toEqual({
      inTurn: [...four, 128],
      atItsEnd: [],
      afterAnswers: [8],
    });
  });
});

test('each check gets its own part of the answer', async () => {
  const [first, second] = await ask(['generation', 1, 9, 60_000_000, 0, 0, 1_500]);
  expect(first?.[0]).toEqual({
    generation: 'generation',
    standing: { admitted: true, remaining: 9, resetInMs: 60_000 },
  });
  expect(second?.[0]).toMatchObject({ standing: { admitted: false, resetInMs: 1.5 } });
});

test.each([null, 'OK', -2, [], ['generation'], [7, 1, 9, 1], ['generation', 1, 'many', 1]])(
  'an answer that is not one of our script is an error for every check: %j',
  async (reply) => {
    for (const [answer, error] of await ask(reply)) {
      expect(answer).toBeUndefined();
      expect(error).toBeInstanceOf(Error);
    }
  },
);

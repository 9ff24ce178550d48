import { expect, test } from 'vitest';
import type { RedisLink } from './link.ts';
import { type Answered, RedisWindows } from './windows.ts';

const WINDOW = { requests: 10, seconds: 60 };
type Outcome = Parameters<Answered>;

/** What two checks of one window are told when Redis answers with this. */
function ask(reply: unknown): Promise<Outcome[]> {
  const link = { run: async () => reply } as unknown as RedisLink;
  const windows = new RedisWindows(link, 'test', 'node');
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

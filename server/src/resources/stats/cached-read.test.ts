import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cachedRead } from './cached-read.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Each read takes 50 ms and returns its number. */
function slowReader() {
  let reads = 0;
  return cachedRead(async () => {
    const number = ++reads;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return number;
  });
}

test('a read is shared by all who request it while it is running', async () => {
  const read = slowReader();
  const values = Promise.all([read(), read()]);
  await vi.advanceTimersByTimeAsync(50);
  expect(await values).toEqual([1, 1]);
});

test('a value is cached for 20 times as long as it took to read', async () => {
  const read = slowReader();
  const first = read();
  await vi.advanceTimersByTimeAsync(50);
  expect(await first).toBe(1);
  await vi.advanceTimersByTimeAsync(999);
  expect(await read()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const second = read();
  await vi.advanceTimersByTimeAsync(50);
  expect(await second).toBe(2);
});

test('an error is not cached', async () => {
  let reads = 0;
  const read = cachedRead(async () => {
    if (++reads === 1) throw new Error('broken');
    return reads;
  });
  await expect(read()).rejects.toThrow('broken');
  expect(await read()).toBe(2);
});

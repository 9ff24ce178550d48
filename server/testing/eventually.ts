import { setTimeout as wait } from 'node:timers/promises';

/** Reads again and again until the value is wanted. The time is long because tests run beside others on two cores. */
export async function eventually<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (performance.now() > untilMs) {
      throw new Error(`after ${timeoutMs} ms still ${JSON.stringify(value)}`);
    }
    await wait(50);
  }
}

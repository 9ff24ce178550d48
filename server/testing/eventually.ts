import { setTimeout as wait } from 'node:timers/promises';

const SOON_MS = 50;
const LATE_MS = 500;

/**
 * Reads again and again until the value is wanted, less often the longer it takes. The time is long because tests run
 * beside others on two cores.
 */
export async function eventually<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > timeoutMs) {
      throw new Error(`after ${timeoutMs} ms still ${JSON.stringify(value)}`);
    }
    await wait(Math.min(Math.max(waitedMs / 10, SOON_MS), LATE_MS));
  }
}

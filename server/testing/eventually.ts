import { setTimeout as wait } from 'node:timers/promises';

/** Reads again until it is as wanted; for what comes about by itself within a few seconds. */
export async function eventually<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  patienceMs = 15_000,
): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (performance.now() > untilMs) {
      throw new Error(`after ${patienceMs} ms still ${JSON.stringify(value)}`);
    }
    await wait(50);
  }
}

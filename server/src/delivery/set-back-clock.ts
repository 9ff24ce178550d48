/**
 * Notices that the clock was set back, by an operator or by NTP. What was due by the old time would wait for as long as
 * the clock was set back, so it has to be pulled forward.
 */
import { type Clock, repeat, type Timer } from '../clock.ts';

const EVERY_MS = 1_000;
/** Less than this is within what retries are late anyway. */
const LEAST_STEP_MS = 1_000;

export function watchForSetBackClock(
  clock: Clock,
  onSetBack: (byMs: number) => Promise<void>,
): Timer {
  const ahead = () => clock.now() - clock.monotonic();
  let before = ahead();
  return repeat(clock, EVERY_MS, async () => {
    const byMs = before - ahead();
    before = ahead();
    if (byMs >= LEAST_STEP_MS) await onSetBack(byMs);
  });
}

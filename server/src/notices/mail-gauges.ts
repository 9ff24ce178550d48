/**
 * How many mails wait, and for how long. They are counted by a timer of their own: a round ends only when nothing is due
 * any more, which may take hours while thousands of mails wait, and that is when somebody looks.
 */
import { type Clock, repeat } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { MailQueue } from './mail-queue.ts';

const COUNTED_EVERY_MS = 5_000;

export function startMailGauges(parts: {
  queue: Pick<MailQueue, 'waiting'>;
  environment: EnvironmentName;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): { stop(): void } {
  const { queue, environment, clock, log, metrics } = parts;
  let waiting = 0;
  let oldestAtMs: number | null = null;
  let isStopped = false;
  metrics.gauge(
    'bellhop_mails_waiting',
    'Mails that are not sent yet.',
    { environment },
    () => waiting,
  );
  metrics.gauge(
    'bellhop_mails_oldest_waiting_seconds',
    'Age of the oldest mail that is not sent yet, except for recipients that the mail server refuses.',
    { environment },
    () => (oldestAtMs === null ? 0 : (clock.now() - oldestAtMs) / 1_000),
  );

  async function count(): Promise<void> {
    try {
      ({ count: waiting, oldestAtMs } = await queue.waiting());
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'waiting mails could not be counted; trying again');
    }
  }

  const timer = repeat(clock, COUNTED_EVERY_MS, count);
  return {
    stop() {
      isStopped = true;
      timer.cancel();
    },
  };
}

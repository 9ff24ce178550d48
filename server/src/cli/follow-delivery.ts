/** Follows deliveries until each is settled and reports every attempt. In the sandbox it can skip the waits. */
import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryWithAttempts, Environment } from '@bellhop/support-client';
import { type BackOffice, Refused } from './back-office.ts';
import { countdown } from './terminal.ts';

/** How often to poll: often while something is about to happen, rarely while a wait takes hours. */
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 5_000;
/** If a delivery is due for this long without an attempt, the output explains why that can be. */
const STUCK_MS = 10_000;

export type Delivery = DeliveryWithAttempts;
export type Attempt = Delivery['attempts'][number];

export interface Reporter {
  /** `skippedMs`: all the waits that were skipped before it; undefined without `fastForward`. */
  attempt(delivery: Delivery, attempt: Attempt, skippedMs: number | undefined): void;
  settled(delivery: Delivery): void;
  /** Called at every poll with what is being waited for. */
  waiting(text: string): void;
  /** Called once if a delivery is due but nothing attempts it. */
  stuck(delivery: Delivery): void;
}

export interface FollowOptions {
  backOffice: BackOffice;
  environment: Environment;
  fastForward: boolean;
  reporter: Reporter;
}

interface Followed {
  id: string;
  reportedAttempts: number;
  /** Attempts made when a wait was last skipped, so that each wait is skipped once. */
  skippedAt: number;
  skippedMs: number;
  dueSinceMs: number | undefined;
  reportedStuck: boolean;
  delivery?: Delivery;
}

/** Resolves to the settled deliveries, in the order of `ids`. */
export async function followDeliveries(
  ids: readonly string[],
  options: FollowOptions,
): Promise<Delivery[]> {
  const followed = ids.map(
    (id): Followed => ({
      id,
      reportedAttempts: 0,
      skippedAt: -1,
      skippedMs: 0,
      dueSinceMs: undefined,
      reportedStuck: false,
    }),
  );
  for (;;) {
    const open = followed.filter(({ delivery }) => !delivery || delivery.state === 'pending');
    if (open.length === 0) return followed.map(({ delivery }) => delivery as Delivery);
    let soonestMs = LONGEST_POLL_MS;
    for (const one of open) soonestMs = Math.min(soonestMs, await poll(one, options));
    const waitingFor = open.find(({ delivery }) => delivery?.state === 'pending')?.delivery;
    if (waitingFor) options.reporter.waiting(waitingText(waitingFor, open.length));
    await wait(soonestMs);
  }
}

/** Resolves to the time until the next poll, in milliseconds. */
async function poll(one: Followed, options: FollowOptions): Promise<number> {
  const { backOffice, environment, fastForward, reporter } = options;
  const delivery = await backOffice.call('getDelivery', { environment, id: one.id });
  one.delivery = delivery;
  for (const attempt of delivery.attempts.slice(one.reportedAttempts)) {
    reporter.attempt(delivery, attempt, fastForward ? one.skippedMs : undefined);
  }
  one.reportedAttempts = delivery.attempts.length;
  if (delivery.state !== 'pending') {
    reporter.settled(delivery);
    return 0;
  }
  if (delivery.in_flight || delivery.next_attempt_at === null) {
    one.dueSinceMs = undefined;
    return SHORTEST_POLL_MS;
  }
  // The first attempt has no wait. If it failed by now, the wait after it would be skipped, and not counted.
  const hasWait = delivery.attempts_made > 0;
  if (fastForward && hasWait && one.skippedAt !== delivery.attempts_made) {
    if (await skipWait(one.id, options)) {
      one.skippedAt = delivery.attempts_made;
      one.skippedMs += waitOf(delivery);
    }
    return SHORTEST_POLL_MS;
  }
  const dueInMs = Date.parse(delivery.next_attempt_at) - Date.now();
  if (dueInMs > 0) one.dueSinceMs = undefined;
  else reportIfStuck(one, delivery, reporter);
  return Math.min(Math.max(dueInMs / 4, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}

/** The whole wait before the next attempt, which begins at the end of the last one. */
function waitOf({ attempts, next_attempt_at }: Delivery): number {
  const last = attempts.at(-1);
  if (!last || next_attempt_at === null) return 0;
  return Math.max(0, Date.parse(next_attempt_at) - Date.parse(last.started_at) - last.duration_ms);
}

/** Resolves to false if the delivery moved on by itself in the meantime. */
async function skipWait(id: string, options: FollowOptions): Promise<boolean> {
  const { backOffice, environment } = options;
  try {
    await backOffice.call('fastForwardDelivery', { environment, id });
    return true;
  } catch (error) {
    const harmless = ['changed_meanwhile', 'delivery_settled'];
    if (error instanceof Refused && harmless.includes(error.code ?? '')) return false;
    throw error;
  }
}

function reportIfStuck(one: Followed, delivery: Delivery, reporter: Reporter): void {
  one.dueSinceMs ??= Date.now();
  if (one.reportedStuck || Date.now() - one.dueSinceMs < STUCK_MS) return;
  one.reportedStuck = true;
  reporter.stuck(delivery);
}

function waitingText(delivery: Delivery, count: number): string {
  const others = count > 1 ? `; ${count} deliveries are pending` : '';
  const attempt = `attempt ${delivery.attempts_made + 1} of ${attemptsInAll(delivery)}`;
  if (delivery.in_flight || delivery.next_attempt_at === null)
    return `${attempt} is in progress${others}`;
  const seconds = Math.ceil((Date.parse(delivery.next_attempt_at) - Date.now()) / 1_000);
  return `${attempt} ${seconds > 0 ? `in ${countdown(seconds)}` : 'is due'}${others}`;
}

/** How many attempts there will be if every remaining one fails. */
export function attemptsInAll(delivery: Delivery): number {
  const inFlight = delivery.in_flight ? 1 : 0;
  return delivery.attempts_made + inFlight + delivery.future_attempts.length;
}

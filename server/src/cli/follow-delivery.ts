/** Follows deliveries until each is settled, telling of every attempt; in the sandbox also fast. */
import { setTimeout as wait } from 'node:timers/promises';
import type { EnvironmentName } from '../config/settings.ts';
import { type BackOffice, Refused } from './back-office.ts';
import { countdown } from './terminal.ts';

/** How often to look: soon while something is about to happen, seldom while hours are to pass. */
const SOONEST_LOOK_MS = 100;
const LATEST_LOOK_MS = 5_000;
/** Due for this long, yet not attempted: people should be told what that can mean. */
const STUCK_MS = 10_000;

export interface Attempt {
  number: number;
  started_at: string;
  duration_ms: number;
  outcome: string;
  status_code: number | null;
  error: string | null;
}

export interface Delivery {
  id: string;
  event_id: string;
  type: string;
  partner_order_id: string;
  state: string;
  in_flight: boolean;
  attempts_made: number;
  next_attempt_at: string | null;
  attempts: Attempt[];
  future_attempts: string[];
  why: string | null;
}

export interface Told {
  attempt(delivery: Delivery, attempt: Attempt): void;
  settled(delivery: Delivery): void;
  /** What is being waited for, in words, as often as it is looked at. */
  waiting(text: string): void;
  /** Once, if a delivery is due but nothing attempts it. */
  stuck(delivery: Delivery): void;
}

export interface FollowOptions {
  backOffice: BackOffice;
  environment: EnvironmentName;
  fastForward: boolean;
  told: Told;
}

interface Followed {
  id: string;
  told: number;
  /** Attempts made when the wait was last skipped, so that each is skipped once. */
  skippedAt: number;
  dueSinceMs: number | undefined;
  saidStuck: boolean;
  delivery?: Delivery;
}

/** Resolves to the deliveries as they ended, in the order of `ids`. */
export async function followDeliveries(
  ids: readonly string[],
  options: FollowOptions,
): Promise<Delivery[]> {
  const followed = ids.map(
    (id): Followed => ({ id, told: 0, skippedAt: -1, dueSinceMs: undefined, saidStuck: false }),
  );
  for (;;) {
    const open = followed.filter(({ delivery }) => !delivery || delivery.state === 'pending');
    if (open.length === 0) return followed.map(({ delivery }) => delivery as Delivery);
    let soonestMs = LATEST_LOOK_MS;
    for (const one of open) soonestMs = Math.min(soonestMs, await look(one, options));
    const waitingFor = open.find(({ delivery }) => delivery?.state === 'pending')?.delivery;
    if (waitingFor) options.told.waiting(waitingText(waitingFor, open.length));
    await wait(soonestMs);
  }
}

/** Resolves to when it is worth looking again, in milliseconds. */
async function look(one: Followed, options: FollowOptions): Promise<number> {
  const { backOffice, environment, fastForward, told } = options;
  const path = `/support/v1/${environment}/deliveries/${one.id}`;
  const delivery = await backOffice.call<Delivery>('GET', path);
  one.delivery = delivery;
  // Of a delivery that was replayed, only what is new.
  for (const attempt of delivery.attempts.slice(one.told)) told.attempt(delivery, attempt);
  one.told = delivery.attempts.length;
  if (delivery.state !== 'pending') {
    told.settled(delivery);
    return 0;
  }
  if (delivery.in_flight || delivery.next_attempt_at === null) {
    one.dueSinceMs = undefined;
    return SOONEST_LOOK_MS;
  }
  if (fastForward && one.skippedAt !== delivery.attempts_made) {
    if (await skipWait(backOffice, path)) one.skippedAt = delivery.attempts_made;
    return SOONEST_LOOK_MS;
  }
  const dueInMs = Date.parse(delivery.next_attempt_at) - Date.now();
  if (dueInMs > 0) one.dueSinceMs = undefined;
  else sayIfStuck(one, delivery, told);
  return Math.min(Math.max(dueInMs / 4, SOONEST_LOOK_MS), LATEST_LOOK_MS);
}

/** False if the delivery went on by itself meanwhile. */
async function skipWait(backOffice: BackOffice, path: string): Promise<boolean> {
  try {
    await backOffice.call('POST', `${path}/fast-forward`);
    return true;
  } catch (error) {
    const harmless = ['changed_meanwhile', 'delivery_settled'];
    if (error instanceof Refused && harmless.includes(error.code ?? '')) return false;
    throw error;
  }
}

function sayIfStuck(one: Followed, delivery: Delivery, told: Told): void {
  one.dueSinceMs ??= Date.now();
  if (one.saidStuck || Date.now() - one.dueSinceMs < STUCK_MS) return;
  one.saidStuck = true;
  told.stuck(delivery);
}

function waitingText(delivery: Delivery, count: number): string {
  const others = count > 1 ? `, ${count - 1} more deliveries open` : '';
  const attempt = `attempt ${delivery.attempts_made + 1} of ${attemptsInAll(delivery)}`;
  if (delivery.in_flight || delivery.next_attempt_at === null)
    return `${attempt} is under way${others}`;
  const seconds = Math.ceil((Date.parse(delivery.next_attempt_at) - Date.now()) / 1_000);
  return `${attempt} ${seconds > 0 ? `in ${countdown(seconds)}` : 'is due'}${others}`;
}

/** If every attempt that is left failed. */
export function attemptsInAll(delivery: Delivery): number {
  const underWay = delivery.in_flight ? 1 : 0;
  return delivery.attempts_made + underWay + delivery.future_attempts.length;
}

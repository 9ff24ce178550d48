/**
 * The partners: callers that call more often than their limits allow. Each call is recorded with the times at
 * which it was sent and answered, so that the check knows which calls certainly fell into one window.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { EnvironmentName } from '../kit/bellhop.ts';
import type { Ledger } from './ledger.ts';
import { ENDPOINT, type LimitedKey } from './limited-keys.ts';
import type { Random } from './random.ts';

const CALLERS_PER_KEY = 3;
const LONGEST_REST_MS = 300;
/** Longer than Bellhop takes to answer while its database is away. */
const TIMEOUT_MS = 5_000;

export interface PartnerCall {
  key: LimitedKey;
  method: string;
  sentMs: number;
  receivedMs: number;
  /** Undefined if no complete answer came. */
  status: number | undefined;
  /** The error code, or why no answer came. */
  problem: string | undefined;
}

export interface PartnerCalls {
  finish(): Promise<void>;
}

interface Parts {
  keys: readonly LimitedKey[];
  /** Where a partner API answers: that of a load balancer or of some node. Undefined while none is up. */
  addressOf(environment: EnvironmentName): string | undefined;
  ledger: Ledger;
  random: Random;
}

export function startPartnerCalls({ keys, addressOf, ledger, random }: Parts): PartnerCalls {
  let finishing = false;
  const callers = keys.flatMap((key) =>
    Array.from({ length: CALLERS_PER_KEY }, async (_, i) => {
      const chance = random.fork(`${key.environment} ${key.seconds} ${i}`);
      while (!finishing) {
        await sleep(chance.between(0, LONGEST_REST_MS));
        const address = addressOf(key.environment);
        if (address === undefined) continue;
        // A load balancer may repeat a GET for us, but not a POST.
        const method = chance.chance(0.2) ? 'POST' : 'GET';
        ledger.calls.push(await call(key, method, address));
      }
    }),
  );
  return {
    async finish() {
      finishing = true;
      await Promise.all(callers);
    },
  };
}

export async function call(
  key: LimitedKey,
  method: string,
  partnerApi: string,
): Promise<PartnerCall> {
  const sentMs = preciseNowMs();
  let status: number | undefined;
  let problem: string | undefined;
  try {
    const reply = await fetch(`${partnerApi}/${ENDPOINT}`, {
      method,
      headers: { authorization: key.authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await reply.text();
    status = reply.status;
    if (status !== 200) problem = codeIn(text);
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    problem = cause?.message || message;
  }
  return { key, method, sentMs, receivedMs: preciseNowMs(), status, problem };
}

function codeIn(text: string): string {
  try {
    return JSON.parse(text).error.code;
  } catch {
    return text.slice(0, 200);
  }
}

/** With fractions: calls of the same millisecond may lie on both sides of a window's end. */
function preciseNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Neither answered nor refused by a limit. */
export function hasFailed({ status }: PartnerCall): boolean {
  return status !== 200 && status !== 429;
}

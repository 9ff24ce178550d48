/** Changes and checks of a sandbox key, for tests of refusals and limits. */
import { expect } from 'vitest';
import type { TestKey } from '../testing/bellhop.ts';
import type { SharedBellhop } from './one-bellhop-per-file.ts';
import type { Reply } from './wire.ts';

export const OVERVIEW = 'api/b2b/v3/overview/';
export const FORWARDED = 'api/b2b/v3/hotel/info/';

export async function changeGrant(
  bellhop: SharedBellhop,
  { keyId }: TestKey,
  grant: object,
): Promise<void> {
  const path = `/support/v1/sandbox/keys/${keyId}/endpoints`;
  expect((await bellhop.support('PUT', path, grant)).status).toBe(200);
}

export async function changeKey(
  bellhop: SharedBellhop,
  { keyId }: TestKey,
  change: object,
): Promise<void> {
  expect((await bellhop.support('PATCH', `/support/v1/sandbox/keys/${keyId}`, change)).status).toBe(
    200,
  );
}

export async function used(
  bellhop: SharedBellhop,
  { keyId }: TestKey,
  endpoint: string,
): Promise<number> {
  const { body } = await bellhop.support('GET', `/support/v1/sandbox/keys/${keyId}/usage`);
  return body.items.find((item: { endpoint: string }) => item.endpoint === endpoint).used;
}

export function resetOf(reply: Reply): number {
  return Date.parse(`${reply.headers['x-ratelimit-reset']}Z`);
}

export function expectLimit(
  reply: Reply,
  limit: { requests: number; seconds: number; remaining: number },
): void {
  const { requests, seconds, remaining } = limit;
  const reset = reply.headers['x-ratelimit-reset'] as string;
  expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  const resetInSeconds = (resetOf(reply) - Date.now()) / 1_000;
  expect(resetInSeconds).toBeLessThanOrEqual(seconds + 1);
  expect(resetInSeconds).toBeGreaterThan(seconds - 60);
  expect(reply.headers).toMatchObject({
    'x-ratelimit-requestsnumber': String(requests),
    'x-ratelimit-secondsnumber': String(seconds),
    'x-ratelimit-remaining': String(remaining),
    'ratelimit-policy': `"endpoint";q=${requests};w=${seconds}`,
    ratelimit: expect.stringMatching(new RegExp(`^"endpoint";r=${remaining};t=\\d+$`)),
  });
}

/** The reply of overview/ and the shapes that tests of keys look for. */
import { expect } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';

export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const UUID = expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);

interface OverviewReply {
  data: { endpoint: string }[];
}

export async function overview(
  { addresses }: TestBellhop,
  authorization: string,
  environment: 'production' | 'sandbox' = 'production',
) {
  const url = `${addresses[environment]}/api/b2b/v3/overview/`;
  const reply = await fetch(url, { headers: { authorization } });
  return { status: reply.status, body: (await reply.json()) as OverviewReply };
}

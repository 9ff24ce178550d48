/** What the tests of imports send and read. */
import { randomUUID } from 'node:crypto';
import { ADMIN_TOKEN, basic, type TestBellhop } from '../testing/bellhop.ts';
import { type OldSystem, oldSystemLines } from '../testing/old-system.ts';

export const BASE = '/support/v1/production';
export const SEARCH = 'api/b2b/v3/search/hp/';
const LOOPBACK = '127.0.0.0/8';
export const ALLOW_LOOPBACK = {
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: LOOPBACK,
  BELLHOP_SANDBOX_RECEIVER_ALLOW: LOOPBACK,
};
const NDJSON = 'application/x-ndjson';

/** A string is a line as it stands. */
export function linesOf(...lines: (object | string)[]): string {
  return lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
}

export async function importInto(
  { addresses }: Pick<TestBellhop, 'addresses'>,
  body: string | Uint8Array,
  { query = '', environment = 'production', token = ADMIN_TOKEN, headers = {} } = {},
) {
  const reply = await fetch(
    `${addresses.backOffice}/support/v1/${environment}/import${query && `?${query}`}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': NDJSON, ...headers },
      body: body as string,
    },
  );
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any reply.
  return { status: reply.status, body: (await reply.json()) as any };
}

export async function readExport(
  { addresses }: TestBellhop,
  query = '',
  environment = 'production',
) {
  const reply = await fetch(
    `${addresses.backOffice}/support/v1/${environment}/export${query && `?${query}`}`,
    { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
  );
  const body = await reply.text();
  const records = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { status: reply.status, headers: reply.headers, body, records };
}

export async function auditOf({ support }: TestBellhop, action: string) {
  return (await support('GET', `${BASE}/audit?action=${action}`)).body.items;
}

let made = 0;

/** A small old system whose ids no other test of the file uses. */
export function anotherSystem(more: Partial<OldSystem> = {}): OldSystem {
  return { keys: 40, raisedEvery: 8, ...more, from: ++made * 1_000_000 };
}

export function fileOf(system: OldSystem): string {
  return [...oldSystemLines(system)].join('');
}

/** A partner with one key, whose ids no other test of the file uses. */
export function oneKey() {
  const n = ++made;
  const keyId = String(880_000_000 + n);
  const apiKey = randomUUID();
  const partner = { kind: 'partner', ref: `one ${n}`, name: 'One' };
  const key = { kind: 'key', key_id: keyId, partner_ref: partner.ref, api_key: apiKey };
  return { partner, key, keyId, apiKey, authorization: basic(keyId, apiKey) };
}

export const created = (count: number) => ({
  created: count,
  changed: 0,
  unchanged: 0,
  skipped: 0,
});
export const unchanged = (count: number) => ({
  created: 0,
  changed: 0,
  unchanged: count,
  skipped: 0,
});

/** Writes of the back office, and how a disk that cannot store them shows. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type StorageTrouble, storageTroubles } from '../src/store/storage-trouble.ts';
import { ADMIN_TOKEN, type SupportReply, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { EVENTS } from './webhook-bellhop.ts';

export const PARTNERS = '/support/v1/production/partners';

export const PARTNER = {
  name: 'P'.repeat(200),
  integration_started_on: '2025-11-01',
  is_new: true,
};

/** More than the free space inside any of the files. */
const MOST_TRIES = 400;

export const changePartners = ({ support }: TestBellhop) => support('POST', PARTNERS, PARTNER);

/** Every kind of write that the back office makes. */
export function writes(bellhop: TestBellhop, partnerId: string): (() => Promise<SupportReply>)[] {
  const { support } = bellhop;
  const event = () => ({
    event_id: randomBytes(60).toString('hex'),
    type: 'created',
    partner_id: partnerId,
    partner_order_id: 'order',
  });
  return [
    () => changePartners(bellhop),
    () => support('PATCH', `${PARTNERS}/${partnerId}`, { name: randomBytes(100).toString('hex') }),
    () => support('POST', `${PARTNERS}/${partnerId}/keys`, {}),
    () => support('POST', '/support/v1/tokens', { name: 'one more', role: 'viewer' }),
    () => support('POST', '/console/session', { token: ADMIN_TOKEN }),
    () => support('POST', EVENTS, event()),
    () => support('POST', EVENTS, { events: Array.from({ length: 300 }, event) }),
  ];
}

/** Repeats the write, because the free space inside the files is used up first. */
export async function untilRefused(write: () => Promise<SupportReply>): Promise<SupportReply> {
  for (let i = 0; ; i++) {
    const reply = await write();
    if (reply.status >= 400 || i === MOST_TRIES) return reply;
  }
}

export function expectRefusal(reply: SupportReply, code: StorageTrouble): void {
  expect(reply).toMatchObject({
    status: 503,
    body: { code, status: 503, title: storageTroubles[code], detail: storageTroubles[code] },
  });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

export const readiness = ({ support }: TestBellhop) => support('GET', '/health/ready');

export const notReady = (code: StorageTrouble) => ({
  status: 503,
  body: { status: 'not ready', troubles: [`production: ${storageTroubles[code]}`] },
});

export const untilReady = (bellhop: TestBellhop) =>
  eventually(
    () => readiness(bellhop),
    ({ body }) => body.status === 'ready',
  );

import { expect } from 'vitest';
import type { SupportReply, TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { call } from './wire.ts';

/** A key signs in and is changed; an event is accepted and delivered; many at once. */
export async function expectEverything(bellhop: TestBellhop): Promise<void> {
  const keys = await Promise.all(Array.from({ length: 5 }, () => bellhop.newKey('sandbox')));
  const calls = keys.flatMap((key) => Array.from({ length: 20 }, () => key));
  const replies = await Promise.all(calls.map((key) => call(bellhop.addresses.sandbox, key)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  const [key] = keys;
  if (!key) throw new Error('no key');
  const receiver = await startReceiver();
  const midoffice = await bellhop.support('POST', '/support/v1/sandbox/midoffices', {
    name: 'Test midoffice',
    url: receiver.url,
    signing_key_id: key.keyId,
  });
  const sent: Promise<SupportReply>[] = Array.from({ length: 40 }, (_, n) =>
    bellhop.support('POST', '/orders/v1/sandbox/events', {
      event_id: `event ${n}`,
      type: 'created',
      partner_id: key.partnerId,
      partner_order_id: `order ${n}`,
      midoffice_id: midoffice.body.id,
    }),
  );
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([202]));
  await receiver.came(40);
  await bellhop.support('DELETE', `/support/v1/sandbox/keys/${key.keyId}`);
  await eventually(
    () => call(bellhop.addresses.sandbox, key),
    ({ status }) => status === 401,
  );
}

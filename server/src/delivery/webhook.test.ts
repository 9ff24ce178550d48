/** What a webhook looks like on the wire. */
import { createVerifier } from '@bellhop/partner';
import { describe, expect, test } from 'vitest';
import { startConnectProxy } from '../../testing/connect-proxy.ts';
import { freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { status } from '../../testing/webhook-receiver.ts';
import { VERSION } from '../base/version.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { sendTestEvent } from '../resources/midoffices/test-event.ts';

describe('a webhook', () => {
  async function sent(form: 'data' | 'flat' | 'both', more: object) {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url, { body_form: form });
    await rig.start();
    await rig.accept(midoffice, ['order 1'], { event_id: 'e-1', type: 'cancelled', ...more });
    await receiver.came(1);
    const [webhook] = receiver.received;
    if (!webhook) throw new Error('nothing came');
    return { rig, midoffice, webhook };
  }

  const all = { agreement_number: 'A-1', status: 'gone' };
  const base = { type: 'cancelled', partner_order_id: 'order 1' };

  test.each([
    ['data', {}, { data: base }],
    ['data', all, { data: { ...base, ...all } }],
    ['data', { status: 'gone' }, { data: { ...base, status: 'gone' } }],
    ['flat', { agreement_number: 'A-1' }, { ...base, agreement_number: 'A-1' }],
    ['flat', {}, base],
    ['both', all, { data: { ...base, ...all }, ...base, ...all }],
  ] as const)('in the form %s contains the fields of the event: %j', async (form, more, fields) => {
    const { rig, midoffice, webhook } = await sent(form, more);
    const timestamp = Math.floor(rig.clock.now() / 1_000);
    const { token, signature } = webhook.json.signature;
    // Compared as text, because the order of the fields is specified.
    expect(webhook.body).toBe(
      JSON.stringify({ ...fields, signature: { signature, timestamp, token } }),
    );
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    const verifier = createVerifier({ apiKey: midoffice.apiKey, now: () => rig.clock.now() });
    expect(await verifier.verify(webhook.body)).toMatchObject({ ok: true });
  });

  test('has the documented headers and no others', async () => {
    const { rig, webhook } = await sent('data', {});
    const { host, ...headers } = webhook.headers;
    expect(headers).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(webhook.body)),
      'user-agent': `Bellhop/${VERSION}`,
      connection: 'keep-alive',
      'webhook-id': 'e-1',
      'webhook-timestamp': String(Math.floor(rig.clock.now() / 1_000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(webhook.path).toBe('/hook');
  });

  test('has the additional headers of its midoffice, as has a test event', async () => {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver();
    const headers = { Authorization: 'Bearer a b', 'X-Tenant': '7' };
    const midoffice = await rig.midoffice(receiver.url, { headers });
    await rig.start();
    await rig.accept(midoffice, ['order 1']);
    await receiver.came(1);
    await sendTestEvent(rig.environment, 'test', midoffice.id);
    await updateMidoffice(rig.environment, 'test', midoffice.id, { headers: { 'X-Tenant': '…' } });
    await rig.accept(midoffice, ['order 2']);
    await receiver.came(3);
    expect(
      receiver.received.map(({ headers: got }) => [got.authorization, got['x-tenant']]),
    ).toEqual([
      ['Bearer a b', '7'],
      ['Bearer a b', '7'],
      [undefined, '7'],
    ]);
  });

  test('goes out through the proxy, as does a test event and a certification', async () => {
    const proxy = await startConnectProxy();
    const rig = await Rig.open(await freshFolder(), {
      settings: { BELLHOP_PRODUCTION_RECEIVER_PROXY: `http://bell:h%40p@127.0.0.1:${proxy.port}` },
    });
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['order 1']);
    await rig.settled(1);
    await sendTestEvent(rig.environment, 'test', midoffice.id);
    const tunnels = proxy.requests.length;
    // A redirect ends the certification after its first request, which has a connection of its own.
    receiver.answer = status(307);
    const report = await rig.environment.webhooks.certifyReceiver(midoffice.id, 'data');
    expect(report.lines[0]).toMatchObject({ name: 'answers', outcome: 'passed' });
    const authority = new URL(receiver.url).host;
    expect(new Set(proxy.authorities)).toEqual(new Set([authority]));
    expect(receiver.received).toHaveLength(3);
    expect(proxy.requests).toHaveLength(tunnels + 1);
    expect(proxy.requests[0]).toContain(`Proxy-Authorization: Basic ${btoa('bell:h@p')}\r\n`);
  });

  test('has an id that is valid in a header, whatever the event id', async () => {
    const { rig, midoffice, webhook } = await sent('data', { event_id: 'zwölf\r\nx: 1 🧳' });
    expect(webhook.headers['webhook-id']).toBe('zw%C3%B6lf%0D%0Ax:%201%20%F0%9F%A7%B3');
    const verifier = createVerifier({
      apiKey: midoffice.apiKey,
      requireHeaders: true,
      now: () => rig.clock.now(),
    });
    expect(await verifier.verify(webhook.body, webhook.headers)).toMatchObject({ ok: true });
  });
});

/** What each behaviour of a receiver means for the delivery, and what is kept of it. */
import { createVerifier } from '@bellhop/partner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../test/support.ts';
import { describeOnEachStore, freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { type Answer, hang, startReceiver, status } from '../../testing/webhook-receiver.ts';
import { rotateKey } from '../support/rotate-key.ts';
import { sendTestEvent } from '../support/test-event.ts';
import { updateMidoffice } from '../support/update-midoffice.ts';
import { VERSION } from '../version.ts';

const FIRST_WAIT_MS = 30_000;
const ANSWERED = (code: number) => `The receiver answered ${code}; only 2xx counts as delivered.`;
const REDIRECT = (code: number) =>
  `The receiver answered ${code}, a redirect, which is not followed; only 2xx counts as delivered.`;
const cutOff: Answer = (_webhook, response) => void response.socket?.destroy();
const TEN_MB = 'x'.repeat(10_000_000);

interface Expected {
  status_code: number | null;
  reply_excerpt?: string | null;
  error?: unknown;
}

describeOnEachStore('a receiver that', (freshPlace) => {
  let rig: Rig;
  beforeAll(async () => {
    const settings = { BELLHOP_PRODUCTION_RECEIVER_TIMEOUT: '1s' };
    rig = await Rig.open(await freshPlace(), { settings, atEnd: () => {} });
    await rig.start();
  });
  afterAll(() => rig?.close());

  async function deliverTo(url: string) {
    const before = rig.attempts.length;
    const midoffice = await rig.midoffice(url);
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await rig.settled(before + 1);
    return { delivery: await rig.show(id), log: rig.attempts[before] };
  }

  test.each<[string, Answer, Expected]>([
    ['answers 200', status(200, 'thank you'), { status_code: 200, reply_excerpt: 'thank you' }],
    ['answers 201', status(201), { status_code: 201, reply_excerpt: '' }],
    ['answers 204', status(204), { status_code: 204, reply_excerpt: '' }],
    ['answers 299', status(299), { status_code: 299 }],
    ['sends 10 MB', status(200, TEN_MB), { status_code: 200, reply_excerpt: 'x'.repeat(4_096) }],
    [
      'answers in bytes that are no text',
      (_webhook, response) => void response.end(Buffer.from([0x6f, 0x6b, 0x00, 0xff])),
      { status_code: 200, reply_excerpt: 'ok\ufffd\ufffd' },
    ],
  ])('%s has got it', async (_name, answer, expected) => {
    const receiver = await rig.receiver(answer);
    const { delivery, log } = await deliverTo(receiver.url);
    const now = new Date(rig.clock.now()).toISOString();
    const tookMs = delivery.attempts[0]?.duration_ms as number;
    expect(delivery).toMatchObject({
      state: 'delivered',
      in_flight: false,
      attempts_made: 1,
      next_attempt_at: null,
      // The end of the attempt, whose duration is real time.
      settled_at: new Date(rig.clock.now() + tookMs).toISOString(),
    });
    expect(delivery.attempts).toEqual([
      expect.objectContaining({
        number: 1,
        started_at: now,
        duration_ms: expect.any(Number),
        outcome: 'delivered',
        error: null,
        signature_timestamp: Math.floor(rig.clock.now() / 1_000),
        signature_token: expect.stringMatching(/^[A-Za-z0-9]{50}$/),
        ...expected,
      }),
    ]);
    expect(log).toMatchObject({
      outcome: 'delivered',
      state: 'delivered',
      delivery_id: delivery.id,
    });
    expect(receiver.received).toHaveLength(1);
  });

  test.each<[string, Answer | 'refuse', Expected]>([
    ['answers 301', status(301, '', { location: '/' }), { status_code: 301, error: REDIRECT(301) }],
    ['answers 304', status(304), { status_code: 304, error: REDIRECT(304) }],
    [
      'answers 400',
      status(400, 'no'),
      { status_code: 400, reply_excerpt: 'no', error: ANSWERED(400) },
    ],
    ['answers 404', status(404), { status_code: 404, error: ANSWERED(404) }],
    ['answers 410', status(410), { status_code: 410, error: ANSWERED(410) }],
    ['answers 429', status(429, '', { 'retry-after': '1' }), { status_code: 429 }],
    ['answers 500', status(500), { status_code: 500, error: ANSWERED(500) }],
    ['answers 503', status(503), { status_code: 503, error: ANSWERED(503) }],
    [
      'answers 500 with 10 MB',
      status(500, TEN_MB),
      { status_code: 500, reply_excerpt: 'x'.repeat(4_096) },
    ],
    [
      'does not answer',
      hang,
      { status_code: null, error: 'The receiver did not answer within 1000 ms.' },
    ],
    [
      'does not finish its answer',
      (_webhook, response) => void response.writeHead(200).write('o'),
      {
        status_code: null,
        error: expect.stringContaining('did not finish its reply within 1000 ms'),
      },
    ],
    [
      'cuts the connection',
      cutOff,
      { status_code: null, error: expect.stringContaining('closed the connection') },
    ],
    [
      'is not there',
      'refuse',
      { status_code: null, error: expect.stringContaining('refused the connection') },
    ],
  ])('%s is tried again', async (_name, answer, expected) => {
    const url =
      answer === 'refuse'
        ? `http://127.0.0.1:${await freePort()}/`
        : (await rig.receiver(answer)).url;
    const { delivery, log } = await deliverTo(url);
    expect(delivery).toMatchObject({
      state: 'pending',
      in_flight: false,
      attempts_made: 1,
      next_attempt_at: new Date(rig.clock.now() + FIRST_WAIT_MS).toISOString(),
      settled_at: null,
    });
    expect(delivery.attempts).toEqual([
      expect.objectContaining({
        number: 1,
        outcome: 'failed',
        error: expect.stringMatching(/^The receiver .*\.$/),
        ...(expected.status_code === null && { reply_excerpt: null }),
        ...expected,
      }),
    ]);
    expect(log).toMatchObject({ outcome: 'failed', state: 'pending' });
  });

  test('redirects is not followed', async () => {
    const target = await rig.receiver();
    const receiver = await rig.receiver(status(307, '', { location: target.url }));
    const { delivery } = await deliverTo(receiver.url);
    expect(delivery.state).toBe('pending');
    expect(target.received).toEqual([]);
  });
});

test('an address that is no longer permitted is not even called', async () => {
  const place = await freshFolder();
  const before = await Rig.open(place);
  const receiver = await startReceiver();
  const midoffice = await before.midoffice(receiver.url);
  const [id] = (await before.accept(midoffice, ['order'])) as [string];
  await before.close();

  const settings = { BELLHOP_PRODUCTION_RECEIVER_ALLOW: '10.0.0.0/8' };
  const after = await Rig.open(place, { settings });
  await after.start();
  await after.settled(1);
  expect((await after.show(id)).attempts).toMatchObject([
    { outcome: 'failed', status_code: null, error: expect.stringContaining('127.0.0.1 is not') },
  ]);
  expect(receiver.received).toEqual([]);
});

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
  ] as const)(
    'in the form %s has the fields that the event has: %j',
    async (form, more, fields) => {
      const { rig, midoffice, webhook } = await sent(form, more);
      const timestamp = Math.floor(rig.clock.now() / 1_000);
      const { token, signature } = webhook.json.signature;
      // As text: the order of the fields is the specification's.
      expect(webhook.body).toBe(
        JSON.stringify({ ...fields, signature: { signature, timestamp, token } }),
      );
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      const verifier = createVerifier({ apiKey: midoffice.apiKey, now: () => rig.clock.now() });
      expect(await verifier.verify(webhook.body)).toMatchObject({ ok: true });
    },
  );

  test('says what it is in its headers, and nothing else', async () => {
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

  test('has an id that fits a header, whatever the sender calls the event', async () => {
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

describeOnEachStore('a key that cannot be read', (freshPlace) => {
  test('fails each attempt, which is recorded, and uses up the schedule', async () => {
    const settings = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '30s,60s' };
    const rig = await Rig.open(await freshPlace(), { settings });
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    const broken = { sealed_key: Buffer.alloc(64).toString('base64') };
    await rig.store.db
      .updateTable('api_key')
      .set(broken)
      .where('key_id', '=', midoffice.keyId)
      .execute();
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    for (const [settled, waitMs] of [
      [1, FIRST_WAIT_MS],
      [2, 2 * FIRST_WAIT_MS],
    ] as const) {
      await rig.settled(settled);
      rig.clock.advance(waitMs);
    }
    await rig.settled(3);
    const delivery = await rig.show(id);
    expect(delivery).toMatchObject({ state: 'exhausted', why: expect.stringMatching(/operator/) });
    expect(delivery.attempts).toHaveLength(3);
    for (const attempt of delivery.attempts) {
      expect(attempt).toMatchObject({
        failure_code: 'signing',
        error: expect.stringMatching(/could not be signed/),
        url: receiver.url,
        request: null,
      });
    }
    expect(receiver.received).toEqual([]);
  });
});

describe('while a key rotation overlaps', () => {
  test('a receiver that holds either key is served, at the latest by the second attempt', async () => {
    const rig = await Rig.open(await freshFolder());
    const hooks = { old: await rig.receiver(), new: await rig.receiver() };
    const midoffice = await rig.midoffice(hooks.old.url);
    const second = await rig.midoffice(hooks.new.url, { signing_key_id: midoffice.keyId });
    const overlap = { overlap_seconds: 3_600 };
    const { api_key } = await rotateKey(rig.desk, 'test', midoffice.keyId, overlap);
    const keys = { old: midoffice.apiKey, new: api_key };
    for (const which of ['old', 'new'] as const) {
      const verifier = createVerifier({
        apiKey: keys[which],
        requireHeaders: true,
        now: () => rig.clock.now(),
      });
      hooks[which].answer = async (webhook, response) => {
        const { ok } = await verifier.verify(webhook.body, webhook.headers);
        response.writeHead(ok ? 200 : 401).end();
      };
    }
    await rig.start();
    const ids = [
      ...(await rig.accept(midoffice, ['a', 'b', 'c'])),
      ...(await rig.accept(second, ['a', 'b', 'c'])),
    ];
    await rig.settled(6);
    rig.clock.advance(FIRST_WAIT_MS);
    // Those who hold the earlier key were served at once: each body has room for one signature.
    expect(hooks.old.received).toHaveLength(3);
    await rig.settled(9);
    expect(await rig.states(ids)).toEqual(Array(6).fill('delivered'));
    for (const { headers } of [...hooks.old.received, ...hooks.new.received]) {
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    }

    // When it is over, the new key alone is left.
    rig.clock.advance(3_600_000);
    hooks.new.answer = status(200);
    await rig.accept(second, ['d']);
    await rig.settled(10);
    const last = hooks.new.received.at(-1);
    expect(last?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    const verifier = createVerifier({ apiKey: api_key, now: () => rig.clock.now() });
    expect(await verifier.verify(last?.body ?? '', last?.headers)).toMatchObject({ ok: true });
  });

  test('the key that the receiver last took comes first, also after a restart', async () => {
    const folder = await freshFolder();
    let rig = await Rig.open(folder);
    const receiver = await startReceiver();
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['before the rotation']);
    await rig.settled(1);
    const overlap = { overlap_seconds: 3_600 };
    const { api_key } = await rotateKey(rig.desk, 'test', midoffice.keyId, overlap);
    const holds = (apiKey: string): Answer => {
      const verifier = createVerifier({ apiKey, now: () => rig.clock.now() });
      return async ({ body }, response) => {
        const { ok } = await verifier.verify(body);
        response.writeHead(ok ? 200 : 401).end();
      };
    };
    receiver.answer = holds(midoffice.apiKey);
    await rig.accept(midoffice, ['still the earlier key']);
    await rig.settled(2);
    expect(rig.attempts[1]).toMatchObject({ outcome: 'delivered' });

    receiver.answer = holds(api_key);
    // A second one waits while the first learns of the new key, and must not miss its turn.
    const waiting = await rig.accept(midoffice, ['first with the new key', 'and another']);
    await rig.settled(4);
    rig.clock.advance(FIRST_WAIT_MS);
    await rig.settled(6);
    expect(await rig.states(waiting)).toEqual(['delivered', 'delivered']);
    await rig.accept(midoffice, ['new key at once']);
    await rig.settled(7);
    expect(rig.attempts[6]).toMatchObject({ outcome: 'delivered', attempt: 1 });

    await rig.close();
    rig = await Rig.open(folder, { clock: rig.clock });
    await rig.start();
    await rig.accept(midoffice, ['after a restart']);
    await rig.settled(1);
    expect(rig.attempts[0]).toMatchObject({ outcome: 'delivered', attempt: 1 });
  });

  test('a rotation and other changes are heeded without a restart, also by what waits', async () => {
    const rig = await Rig.open(await freshFolder());
    const before = await rig.receiver(status(500));
    const after = await rig.receiver();
    const midoffice = await rig.midoffice(before.url);
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await rig.settled(1);
    const { api_key } = await rotateKey(rig.desk, 'test', midoffice.keyId, { overlap_seconds: 0 });
    await updateMidoffice(rig.desk, 'test', midoffice.id, { url: after.url, body_form: 'flat' });
    rig.clock.advance(FIRST_WAIT_MS);
    await rig.settled(2);
    expect(await rig.states([id])).toEqual(['delivered']);
    const [webhook] = after.received;
    expect(webhook?.json).toMatchObject({ type: 'updated', partner_order_id: 'order' });
    const verifier = createVerifier({ apiKey: api_key, now: () => rig.clock.now() });
    expect(await verifier.verify(webhook?.body ?? '', webhook?.headers)).toMatchObject({
      ok: true,
    });
  });
});

test('a test event is one signed attempt, kept nowhere, and not repeated', async () => {
  const rig = await Rig.open(await freshFolder());
  const receiver = await rig.receiver(status(500, 'not today'));
  const midoffice = await rig.midoffice(receiver.url, { body_form: 'both' });
  await updateMidoffice(rig.desk, 'test', midoffice.id, { paused: true });
  await rig.start();
  expect(await sendTestEvent(rig.desk, 'test', midoffice.id)).toMatchObject({
    number: 1,
    outcome: 'failed',
    status_code: 500,
    reply_excerpt: 'not today',
    error: ANSWERED(500),
    signature_token: receiver.received[0]?.json.signature.token,
  });
  expect(receiver.received[0]?.orderId).toMatch(/^test-/);
  const verifier = createVerifier({
    apiKey: midoffice.apiKey,
    requireHeaders: true,
    now: () => rig.clock.now(),
  });
  const [webhook] = receiver.received;
  expect(await verifier.verify(webhook?.body ?? '', webhook?.headers)).toMatchObject({ ok: true });
  for (const table of ['delivery', 'attempt'] as const) {
    expect(await rig.store.db.selectFrom(table).selectAll().execute()).toEqual([]);
  }
});

/** How each behaviour of a receiver affects the delivery, and what is recorded. */
import { createVerifier } from '@bellhop/partner';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../test/support.ts';
import { describeOnEachStore, freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { type Answer, hang, startReceiver, status } from '../../testing/webhook-receiver.ts';
import { BROKEN_REPLY } from '../receiver/failure.ts';
import type { AttemptFailure } from '../receiver/failure-codes.ts';
import { listDeliveries } from '../resources/deliveries/list-deliveries.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { sendTestEvent } from '../resources/midoffices/test-event.ts';

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

describeOnEachStore('a receiver that', (newDatabase) => {
  let rig: Rig;
  beforeAll(async () => {
    const settings = { BELLHOP_PRODUCTION_RECEIVER_TIMEOUT: '1s' };
    rig = await Rig.open(await newDatabase(), { settings, atEnd: () => {} });
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
      'answers with invalid UTF-8',
      (_webhook, response) => void response.end(Buffer.from([0x6f, 0x6b, 0x00, 0xff])),
      { status_code: 200, reply_excerpt: 'ok\ufffd\ufffd' },
    ],
  ])('%s: the delivery is delivered', async (_name, answer, expected) => {
    const receiver = await rig.receiver(answer);
    const { delivery, log } = await deliverTo(receiver.url);
    const now = new Date(rig.clock.now()).toISOString();
    const tookMs = delivery.attempts[0]?.duration_ms as number;
    expect(delivery).toMatchObject({
      state: 'delivered',
      in_flight: false,
      attempts_made: 1,
      next_attempt_at: null,
      // The end of the attempt; its duration is in real time.
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
      { status_code: null, error: 'The receiver did not answer within 1 s.' },
    ],
    [
      'does not finish its answer',
      (_webhook, response) => void response.writeHead(200).write('o'),
      {
        status_code: 200,
        reply_excerpt: 'o',
        error: expect.stringContaining('did not finish its reply within 1 s'),
      },
    ],
    [
      'closes the connection in its answer',
      (_webhook, { socket }) =>
        void socket?.end('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\nhalf'),
      {
        status_code: 201,
        reply_excerpt: 'half',
        error: expect.stringContaining('closed the connection before its reply was complete'),
      },
    ],
    [
      'breaks the rules of HTTP in its answer',
      (_webhook, { socket }) =>
        void socket?.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok!!'),
      { status_code: 200, reply_excerpt: 'ok', error: BROKEN_REPLY.message },
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
  ])('%s: the delivery is retried', async (_name, answer, expected) => {
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
        error: expect.stringMatching(/^The re(?:ceiver|ply) .*\.$/),
        ...(expected.status_code === null && { reply_excerpt: null }),
        ...expected,
      }),
    ]);
    expect(log).toMatchObject({ outcome: 'failed', state: 'pending' });
    const { midoffice_id, last_failure_code } = delivery;
    const found = await listDeliveries(rig.environment, {
      midoffice_id: midoffice_id as string,
      failure_code: last_failure_code as AttemptFailure,
    });
    expect(found.items).toMatchObject([{ id: delivery.id, last_failure_code }]);
  });

  test('a redirect is not followed', async () => {
    const target = await rig.receiver();
    const receiver = await rig.receiver(status(307, '', { location: target.url }));
    const { delivery } = await deliverTo(receiver.url);
    expect(delivery.state).toBe('pending');
    expect(target.received).toEqual([]);
  });
});

test('an address that is no longer allowed is not dialled', async () => {
  const database = await freshFolder();
  const before = await Rig.open(database);
  const receiver = await startReceiver();
  const midoffice = await before.midoffice(receiver.url);
  const [id] = (await before.accept(midoffice, ['order'])) as [string];
  await before.close();

  const settings = { BELLHOP_PRODUCTION_RECEIVER_ALLOW: '10.0.0.0/8' };
  const after = await Rig.open(database, { settings });
  await after.start();
  await after.settled(1);
  expect((await after.show(id)).attempts).toMatchObject([
    { outcome: 'failed', status_code: null, error: expect.stringContaining('127.0.0.1 is not') },
  ]);
  expect(receiver.received).toEqual([]);
});

describeOnEachStore('a key that cannot be read', (newDatabase) => {
  test('fails and records each attempt until the schedule is used up', async () => {
    const settings = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '30s,60s' };
    const rig = await Rig.open(await newDatabase(), { settings });
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

test('a test event is one signed attempt, neither stored nor repeated', async () => {
  const rig = await Rig.open(await freshFolder());
  const receiver = await rig.receiver(status(500, 'not today'));
  const midoffice = await rig.midoffice(receiver.url, { body_form: 'both' });
  await updateMidoffice(rig.environment, 'test', midoffice.id, { paused: true });
  await rig.start();
  expect(await sendTestEvent(rig.environment, 'test', midoffice.id)).toMatchObject({
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

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composeBody } from './body.ts';
import { createFastifyPlugin } from './fastify-plugin.ts';
import { createFetchHandler } from './fetch-handler.ts';
import { createNodeHandler } from './node-handler.ts';
import type { ReceiverOptions } from './receive.ts';
import { createTokenMaker, sign, signWebhook } from './signature.ts';
import { memoryTokenStore } from './token-store.ts';

const API_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const newToken = createTokenMaker();

type Send = (init: { body: string; headers?: Record<string, string> }) => Promise<number>;

const servers: Record<string, (options: ReceiverOptions) => Promise<Send>> = {
  async 'Fetch-style'(options) {
    const handle = createFetchHandler(options);
    return async (init) =>
      (await handle(new Request('http://receiver/', { method: 'POST', ...init }))).status;
  },
  async 'node:http'(options) {
    const server = createServer(createNodeHandler(options));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return poster((server.address() as AddressInfo).port);
  },
  async Fastify(options) {
    const app = Fastify();
    await app.register(createFastifyPlugin({ path: '/', ...options }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    return poster((app.server.address() as AddressInfo).port);
  },
};

function poster(port: number): Send {
  return async (init) => {
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...init });
    await reply.arrayBuffer();
    return reply.status;
  };
}

async function signed(apiKey = API_KEY, timestamp = Math.floor(Date.now() / 1_000)) {
  const { body, headers } = await signWebhook({
    webhookId: 'event-1',
    event: { type: 'created', partnerOrderId: 'order-1' },
    form: 'data',
    timestamp,
    token: newToken(),
    bodyKey: apiKey,
    headerKeys: [apiKey],
  });
  return { body, headers: { 'content-type': 'application/json', ...headers } };
}

describe.each(Object.keys(servers))('the handler for %s', (name) => {
  const start = servers[name] as (options: ReceiverOptions) => Promise<Send>;

  test('answers 200 after the partner’s code has handled the event', async () => {
    const events: unknown[] = [];
    const send = await start({
      apiKey: API_KEY,
      onEvent: (event, { webhookId }) => void events.push([webhookId, event.partnerOrderId]),
    });
    expect(await send(await signed())).toBe(200);
    expect(events).toEqual([['event-1', 'order-1']]);
  });

  test('answers 401 for a wrong key, a stale timestamp or a repeated token', async () => {
    const refused: string[] = [];
    const send = await start({
      apiKey: API_KEY,
      tokenStore: memoryTokenStore(),
      onEvent() {},
      onRefused: (reason) => void refused.push(reason),
    });
    expect(await send(await signed('another key'))).toBe(401);
    expect(await send(await signed(API_KEY, 1_574_146_939))).toBe(401);
    const once = await signed();
    expect([await send(once), await send(once)]).toEqual([200, 401]);
    expect(refused).toEqual(['bad_signature', 'stale', 'replayed']);
  });

  test('answers 400 to other requests and 413 to large bodies', async () => {
    const send = await start({ apiKey: API_KEY, onEvent() {} });
    expect(await send({ body: 'not JSON' })).toBe(400);
    expect(await send({ body: 'x'.repeat(70_000) })).toBe(413);
  });

  test('answers 500 when the partner’s code fails, so that Bellhop tries again', async () => {
    const errors: unknown[] = [];
    const send = await start({
      apiKey: API_KEY,
      onEvent() {
        throw new Error('the order system is down');
      },
      onError: (error) => void errors.push(error),
    });
    expect(await send(await signed())).toBe(500);
    expect(errors).toHaveLength(1);
  });

  test('answers 500 when the token store fails, so that Bellhop tries again', async () => {
    const errors: unknown[] = [];
    const send = await start({
      apiKey: API_KEY,
      tokenStore: { remember: () => Promise.reject(new Error('Redis is down')) },
      onEvent: () => expect.fail('not verified'),
      onError: (error) => void errors.push(error),
    });
    expect(await send(await signed())).toBe(500);
    expect(errors).toEqual([new Error('Redis is down')]);
  });

  test('answers 500 even when the partner’s error handler fails', async () => {
    const fail = () => {
      throw new Error('the disk is full');
    };
    const send = await start({ apiKey: API_KEY, onEvent() {}, onRefused: fail, onError: fail });
    expect(await send(await signed('another key'))).toBe(500);
    expect(await send(await signed())).toBe(200);
  });

  test('answers 200 to both body forms and to a mixture', async () => {
    const events: unknown[] = [];
    const send = await start({ apiKey: API_KEY, onEvent: (event) => void events.push(event) });
    const event = { type: 'updated', partnerOrderId: 'order-2', status: 'paid' } as const;
    const timestamp = Math.floor(Date.now() / 1_000);
    for (const form of ['data', 'flat', 'both'] as const) {
      const token = newToken();
      const secure = { signature: await sign(API_KEY, timestamp, token), timestamp, token };
      expect(await send({ body: composeBody(event, form, secure) })).toBe(200);
    }
    const token = newToken();
    const secure = { signature: await sign(API_KEY, timestamp, token), timestamp, token };
    const mixed = { type: 'updated', data: { partner_order_id: 'order-2', status: 'paid' } };
    expect(await send({ body: JSON.stringify({ ...mixed, signature: secure }) })).toBe(200);
    expect(events).toEqual(Array(4).fill(event));
  });

  test('uses the configured tolerance, or none', async () => {
    const old = Math.floor(Date.now() / 1_000) - 3_600;
    const hour = await start({ apiKey: API_KEY, toleranceSeconds: 3_700, onEvent() {} });
    expect(await hour(await signed(API_KEY, old))).toBe(200);
    for (const toleranceSeconds of [false, Number.POSITIVE_INFINITY] as const) {
      const any = await start({
        apiKey: API_KEY,
        toleranceSeconds,
        tokenStore: memoryTokenStore(),
        onEvent() {},
      });
      const ancient = await signed(API_KEY, 1);
      expect([await any(ancient), await any(ancient)]).toEqual([200, 401]);
    }
  });
});

describe('the handler behind body parsers of Express', () => {
  function answerWith(body: unknown): Promise<number> {
    const onError = (error: unknown) => expect(error).toBeInstanceOf(TypeError);
    const handle = createNodeHandler({ apiKey: API_KEY, onEvent() {}, onError });
    return new Promise((resolve) => {
      const request = { method: 'POST', headers: {}, body, on: () => undefined };
      void handle(request, { writeHead: (status) => resolve(status), end: () => undefined });
    });
  }

  test('accepts raw bytes and any text', async () => {
    const { body } = await signed();
    expect(await answerWith(body)).toBe(200);
    expect(await answerWith(Buffer.from((await signed()).body))).toBe(200);
    for (const text of ['aborted', 'too large', '']) expect(await answerWith(text)).toBe(400);
  });

  test('answers 500 to a body that was already parsed, with a sentence for onError', async () => {
    expect(await answerWith({ data: {} })).toBe(500);
  });
});

/**
 * Small requests with order events take a short way past Fastify (quick-orders.ts). Here each is sent so that it takes
 * the one way and so that it takes the other, which a parameter of the content type decides: the replies must not differ.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import {
  EVENTS,
  newEvent,
  newSender,
  type Sender,
  sharedWebhooks,
  WITHOUT_DELIVERY,
} from './webhook-bellhop.ts';
import { type CallOptions, call, openWire } from './wire.ts';

const bellhop = sharedWebhooks(WITHOUT_DELIVERY);

const WAYS = { short: 'application/json', fastify: 'application/json; charset=utf-8' } as const;

/** Without a partner API, the back office runs in this thread: its Fastify tells us what it handles. */
let handledByFastify = 0;
const count = () => void handledByFastify++;
const CHANNEL = 'tracing:fastify.request.handler:start';
beforeAll(() => subscribe(CHANNEL, count));
afterAll(() => void unsubscribe(CHANNEL, count));

/** Signed in a moment ago, so that the token is known. */
const signIn = (token: string) => bellhop.support('GET', '/support/v1/tokens', undefined, token);

async function post(way: keyof typeof WAYS, body: string | Buffer, options: CallOptions = {}) {
  const { headers, authorization = `Bearer ${ADMIN_TOKEN}`, ...others } = options;
  await signIn(authorization.slice('Bearer '.length));
  const before = handledByFastify;
  const { status, rawHeaders, text } = await call(bellhop.addresses.backOffice, {
    ...{ method: 'POST', path: EVENTS, authorization, body },
    headers: {
      'content-type': WAYS[way],
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    ...others,
  });
  const date = rawHeaders.indexOf('Date');
  return {
    reply: { status, headers: rawHeaders.toSpliced(date, 2), text },
    isHandledByFastify: handledByFastify > before,
  };
}

/** Ids differ from one event to the next, but not in their length. */
const withoutIds = (text: string) =>
  text.replace(/event-[\w-]+/, 'event').replace(/del_\d+/, 'del');

async function comparable(way: keyof typeof WAYS, body: string | Buffer, options?: CallOptions) {
  const { reply } = await post(way, body, options);
  const length = reply.headers.indexOf('content-length');
  return {
    ...reply,
    headers: reply.headers.toSpliced(length + 1, 1),
    text: withoutIds(reply.text),
  };
}

async function bothReplies(
  bodyOf: (way: keyof typeof WAYS) => string | Buffer | Promise<string | Buffer>,
  options?: CallOptions,
) {
  const short = await comparable('short', await bodyOf('short'), options);
  return [short, await comparable('fastify', await bodyOf('fastify'), options)] as const;
}

describe('the ways', () => {
  test('are the ones that this file takes them for', async () => {
    const sender = await newSender(bellhop);
    // On a busy machine, a token can be forgotten before the request comes.
    const { reply } = await eventually(
      () => post('short', JSON.stringify(newEvent(sender))),
      ({ isHandledByFastify }) => !isHandledByFastify,
    );
    expect(reply.status).toBe(202);
    const other = await post('fastify', JSON.stringify(newEvent(sender)));
    expect([other.reply.status, other.isHandledByFastify]).toEqual([202, true]);
  });

  test('go on in Fastify with a body that was read, if it is not accepted', async () => {
    const body = JSON.stringify(newEvent({ partnerId: 'par_none' }));
    const { reply, isHandledByFastify } = await post('short', body);
    expect([reply.status, isHandledByFastify]).toEqual([422, true]);
  });
});

describe('replies do not differ', () => {
  const event = (sender: Sender, more: object = {}) => JSON.stringify(newEvent(sender, more));

  test.each<[string, number, (sender: Sender) => string | Buffer, CallOptions?]>([
    ['one event', 202, (sender) => event(sender)],
    ['all fields', 202, (sender) => event(sender, { status: 'é"\\\u2028', agreement_number: '7' })],
    [
      'an id that JSON escapes',
      202,
      (sender) => event(sender, { event_id: `"\\\n€🧳${newEvent(sender).event_id}` }),
    ],
    ['a batch', 202, (sender) => `{"events":[${event(sender)}]}`],
    [
      'a connection that ends',
      202,
      (sender) => event(sender),
      { headers: { connection: 'close' } },
    ],
    ['an unknown field', 422, (sender) => event(sender, { order_id: 'x' })],
    ['a wrong type', 422, (sender) => event(sender, { type: 'deleted' })],
    ['no events', 422, () => '{"events":[]}'],
    ['a list', 422, (sender) => `[${event(sender)}]`],
    ['null', 422, () => 'null'],
    ['an unknown partner', 422, () => JSON.stringify(newEvent({ partnerId: 'par_none' }))],
    ['an unknown midoffice', 422, (sender) => event(sender, { midoffice_id: 'mid_none' })],
    ['no JSON', 400, (sender) => event(sender).slice(1)],
    ['no UTF-8', 400, (sender) => Buffer.from(event(sender, { status: 'é' }), 'latin1')],
    ['a query', 422, (sender) => event(sender), { path: `${EVENTS}?dry_run=true` }],
    [
      'an environment that is not served',
      404,
      (sender) => event(sender),
      { path: EVENTS.replace('production', 'sandbox') },
    ],
    ['no token', 401, (sender) => event(sender), { authorization: 'Bearer bh_unknown' }],
    [
      'a compressed body',
      415,
      (sender) => event(sender),
      { headers: { 'content-encoding': 'gzip' } },
    ],
  ])('to %s', async (_name, status, bodyOf, options) => {
    const sender = await newSender(bellhop);
    const [short, fastify] = await bothReplies(() => bodyOf(sender), options);
    expect(short).toEqual(fastify);
    expect(short.status).toBe(status);
  });

  test('to an event that is sent again, or whose id is', async () => {
    const sender = await newSender(bellhop);
    const first = newEvent(sender);
    await post('short', JSON.stringify(first));
    const [again, alsoAgain] = await bothReplies(() => JSON.stringify(first));
    expect(again).toEqual(alsoAgain);
    expect(again.text).toContain('"duplicate"');
    const [reused, alsoReused] = await bothReplies(() =>
      JSON.stringify({ ...first, type: 'created' }),
    );
    expect(reused).toEqual(alsoReused);
    expect(reused.status).toBe(409);
  });

  test('to a token whose role may not report events', async () => {
    const { body } = await bellhop.support('POST', '/support/v1/tokens', {
      name: 'Vera',
      role: 'viewer',
    });
    const sender = await newSender(bellhop);
    const authorization = `Bearer ${body.token}`;
    const [short, fastify] = await bothReplies(() => event(sender), { authorization });
    expect(short).toEqual(fastify);
    expect(short.status).toBe(403);
  });

  test('on a connection that is kept', async () => {
    const sender = await newSender(bellhop);
    const replies: unknown[] = [];
    for (const way of ['short', 'fastify'] as const) {
      const wire = await openWire(bellhop.addresses.backOffice);
      await signIn(ADMIN_TOKEN);
      for (let requests = 0; requests < 2; requests++) {
        const body = event(sender);
        wire.write(
          `POST ${EVENTS} HTTP/1.1\r\nHost: bellhop.test\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\ncontent-type: ${WAYS[way]}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        const { status, rawHeaders } = await wire.next();
        replies.push([status, rawHeaders.filter((_text, i) => i % 2 === 0)]);
      }
      wire.socket.destroy();
    }
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
  });
});

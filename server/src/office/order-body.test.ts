import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { type ArrivingBody, createIntake, LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import { SENDER_PACE } from '../listener/pace.ts';
import { Problem } from '../resources/problem.ts';
import { LONGEST_EVENT_BYTES } from './event-splitter.ts';
import { CheckedBatch, readOrderBody } from './order-body.ts';
import { MOST_EVENTS, OrderEvent } from './order-schemas.ts';
import { compileSchema } from './validator.ts';

const checkEvent = compileSchema(OrderEvent);
const intake = createIntake(
  () => 0,
  () => {},
);

type Read = { body: unknown } | { status: number; detail: string };

/** A server that reads one body; `write` sends it. */
async function reading({ clock = new ManualClock(), check = checkEvent } = {}) {
  const arrived = Promise.withResolvers<{ message: IncomingMessage; room: ArrivingBody }>();
  const read = Promise.withResolvers<Read>();
  const server = createServer((message) => {
    const room = intake.enter();
    if (!room) throw new Error('no room');
    readOrderBody(message, { room, checkEvent: check, clock }, (error, body) => {
      room.leave();
      if (error instanceof Problem) read.resolve({ status: error.status, detail: error.message });
      else if (error) read.reject(error);
      else read.resolve({ body });
    });
    arrived.resolve({ message, room });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = request({ port, host: '127.0.0.1', method: 'POST' });
  sender.on('error', () => {});
  sender.flushHeaders();
  onTestFinished(() => {
    sender.destroy();
    server.close();
  });
  return { sender, arrived: arrived.promise, read: read.promise };
}

async function readText(text: string | Buffer): Promise<Read> {
  const { sender, read } = await reading();
  sender.end(text);
  return read;
}

const event = (more: object = {}) => ({
  event_id: 'event',
  type: 'created',
  partner_id: 'par_1',
  partner_order_id: 'order',
  ...more,
});
/** Makes a batch too large to be parsed as a whole. */
const padding = ' '.repeat(LONGEST_EVENT_BYTES);
const batchOf = (events: readonly unknown[]) =>
  `{"events":[${events.map((one) => JSON.stringify(one)).join(',')}${padding}]}`;

test('a small body is only parsed', async () => {
  expect(await readText('{"events":7}')).toEqual({ body: { events: 7 } });
  expect(await readText('')).toEqual({ body: {} });
  expect(await readText('{')).toMatchObject({ status: 400 });
});

describe('a large batch', () => {
  test('comes with all its events, in their order', async () => {
    const events = Array.from({ length: MOST_EVENTS }, (_, n) =>
      event({ event_id: `event ${n}`, status: '🧳'.repeat(300) }),
    );
    const read = (await readText(batchOf(events))) as { body: CheckedBatch };
    expect(read.body).toBeInstanceOf(CheckedBatch);
    expect(read.body.events).toEqual(events);
  });

  test.each<[string, string | Buffer, number, string]>([
    [
      'an invalid event, with its index and field',
      batchOf([event(), event({ type: 'deleted' }), event({ type: 'lost' })]),
      422,
      '/events/1/type must be one of created, updated, cancelled.',
    ],
    ['something else than an event', batchOf([event(), 0]), 422, '/events/1 must be an object.'],
    ['no event', batchOf([]), 422, '/events must have at least 1 entry.'],
    [
      'too many events',
      batchOf(Array.from({ length: MOST_EVENTS + 1 }, () => event())),
      422,
      '/events must have at most 1000 entries.',
    ],
    [
      'an event that is too long',
      batchOf([event({ status: 'x'.repeat(LONGEST_EVENT_BYTES) })]),
      422,
      '/events/0 must have at most 64 KiB.',
    ],
    [
      'an event with more values than any can need',
      batchOf([event({ status: Array(200).fill(0) })]),
      422,
      '/events/0 must have at most 108 values.',
    ],
    [
      'broken JSON inside an event',
      batchOf([event()]).replace('"type":', '"type",'),
      400,
      'The body is not valid JSON.',
    ],
    [
      'broken JSON between events',
      batchOf([event()]).slice(0, -1),
      400,
      'The body is not valid JSON.',
    ],
    [
      'text that is not UTF-8',
      Buffer.from(batchOf([event({ status: 'é' })]), 'latin1'),
      400,
      'The body is not UTF-8.',
    ],
    [
      'anything but a batch',
      JSON.stringify(event({ status: padding })),
      422,
      'A body of more than 64 KiB must be {"events":[…]} and nothing else.',
    ],
    [
      'more than any batch can have',
      batchOf([event()]).padEnd(LARGEST_BATCH_BYTES + 1),
      413,
      'The body must have at most 33,554,432 bytes.',
    ],
  ])('is refused for %s', async (_name, text, status, detail) => {
    expect(await readText(text)).toEqual({ status, detail });
  });

  test('is refused at the first event that is wrong, while the rest has not arrived', async () => {
    const { sender, read } = await reading();
    sender.write(`{"events":[${JSON.stringify(event({ type: 'deleted' }))},${padding}`);
    expect(await read).toMatchObject({ status: 422 });
  });
});

test('a body that arrives too slowly is refused with 408', async () => {
  const clock = new ManualClock();
  const { sender, arrived, read } = await reading({ clock });
  const { message } = await arrived;
  sender.write('{'.padEnd(SENDER_PACE.paceBytes));
  while (message.socket.bytesRead < SENDER_PACE.paceBytes) await once(message, 'data');
  clock.advance(SENDER_PACE.paceMs);
  const before = message.socket.bytesRead;
  sender.write('"');
  while (message.socket.bytesRead === before) await once(message, 'data');
  clock.advance(SENDER_PACE.paceMs);
  expect(await read).toMatchObject({ status: 408 });
});

test('a batch that has to give way is released at once, although its sender goes on', async () => {
  const events: WeakRef<object>[] = [];
  const seen = Promise.withResolvers<void>();
  const { sender, arrived, read } = await reading({
    check: (one) => {
      events.push(new WeakRef(one as object));
      seen.resolve();
      return true;
    },
  });
  sender.write(batchOf([event()]).slice(0, -2));
  const { message, room } = await arrived;
  await seen.promise;
  room.onRefused();
  expect(await read).toMatchObject({ status: 503 });
  await nextTurn();
  collectGarbage();
  expect(events.map((one) => one.deref())).toEqual([undefined]);
  expect(message.complete).toBe(false);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { replyOnSocket } from './raw-reply.ts';

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const REFUSAL = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n';

test('a refusal waits for the replies to many requests before it, and listens for errors once', async () => {
  const BEFORE = 30;
  const waiting: ServerResponse[] = [];
  const refused = Promise.withResolvers<Socket>();
  const server = createServer((_request, response) => void waiting.push(response));
  server.on('clientError', (_error, socket) => {
    replyOnSocket(socket, systemClock, () => REFUSAL);
    refused.resolve(socket as Socket);
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.write(`${GET.repeat(BEFORE)}no request\r\n\r\n`);
  const socket = await refused.promise;
  const listeners = socket.listenerCount('error');
  for (const response of waiting) response.end();
  await once(socket, 'finish');
  expect(socket.listenerCount('error')).toBeLessThanOrEqual(listeners);
  const replies = (await text(caller)).match(/^HTTP\/1\.1 \d+/gm);
  expect(replies).toEqual([...Array(BEFORE).fill('HTTP/1.1 200'), 'HTTP/1.1 400']);
});

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openLink, type TcpLink } from './tcp-link.ts';

/** Answers every message with its own name and the message. */
async function startEcho(name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => socket.write(`${name}:${bytes}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function linkTo(port: number): Promise<TcpLink> {
  const link = await openLink({ host: '127.0.0.1', port });
  onTestFinished(() => link.close());
  return link;
}

function client(link: TcpLink): Socket {
  const socket = connect(Number(new URL(link.through('redis://127.0.0.1:1')).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function answerTo(socket: Socket, message: string): Promise<string> {
  socket.write(message);
  const [bytes] = await once(socket, 'data');
  return String(bytes);
}

test('a slow link brings everything later, and is quick again afterwards', async () => {
  const link = await linkTo(await startEcho('one'));
  const socket = client(link);
  expect(await answerTo(socket, 'a')).toBe('one:a');
  link.delay(100);
  const sentMs = performance.now();
  expect(await answerTo(socket, 'b')).toBe('one:b');
  // A timer may fire up to a millisecond early.
  expect(performance.now() - sentMs).toBeGreaterThan(198);
  link.delay(0);
  expect(await answerTo(socket, 'c')).toBe('one:c');
});

test('a link that leads elsewhere ends its connections; new ones reach the other server', async () => {
  const link = await linkTo(await startEcho('one'));
  const before = client(link);
  expect(await answerTo(before, 'a')).toBe('one:a');
  link.retarget(await startEcho('two'));
  await once(before, 'close');
  expect(await answerTo(client(link), 'b')).toBe('two:b');
});

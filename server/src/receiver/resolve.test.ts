import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createResolver } from './resolve.ts';

const open: (() => unknown)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A name server that knows `two.example` (A and AAAA) and `six.example` (AAAA), and denies the rest. */
async function nameServer(answers = true): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (!answers) return;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const name = question.toString('latin1');
    const isV6 = question[question.length - 3] === 28;
    const known = name.includes('two') || (isV6 && name.includes('six'));
    const data = isV6 ? [0x26, 0x06, ...Array(13).fill(0), 1] : [8, 8, 4, 4];
    const record = [0xc0, 12, 0, isV6 ? 28 : 1, 0, 1, 0, 0, 0, 9, 0, data.length, ...data];
    const head = [0x81, known ? 0x80 : 0x83, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0];
    const reply = [...query.subarray(0, 2), ...head, ...question, ...(known ? record : [])];
    socket.send(Buffer.from(reply), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  open.push(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

describe('createResolver', () => {
  test.each(['localhost', 'LOCALHOST.', 'a.localhost'])('%s needs no name server', async (host) => {
    expect(await createResolver({ servers: ['127.0.0.1:1'] })(host)).toEqual(['127.0.0.1', '::1']);
  });

  test('returns all addresses of both families', async () => {
    const resolve = createResolver({ servers: [await nameServer()] });
    expect(await resolve('two.example')).toEqual(['8.8.4.4', '2606::1']);
    expect(await resolve('six.example.')).toEqual(['2606::1']);
  });

  test('rejects for a name that does not exist', async () => {
    const resolve = createResolver({ servers: [await nameServer()] });
    await expect(resolve('none.example')).rejects.toThrow('ENOTFOUND');
  });

  test('gives up on a name server that does not answer', async () => {
    const servers = [await nameServer(false)];
    const resolve = createResolver({ servers, timeoutMs: 100, tries: 1 });
    await expect(resolve('two.example')).rejects.toThrow('ETIMEOUT');
  });
});

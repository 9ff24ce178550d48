/**
 * Bodies in chunks of one byte: six bytes on the wire, for which node:http makes a buffer and an event. The control is
 * the same body in one chunk.
 */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { cpuMicrosOf } from '../../../bench/cpu-time.ts';
import { ADMIN_TOKEN, spawnBellhop } from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { call, head, OVERVIEW_PATH } from '../wire.ts';

const onLinux = test.runIf(process.platform === 'linux');

/** Up to 18; without joining the chunks, 90 and more. */
const MOST_MORE_MB = 40;
/** Of all threads. About 100; if every connection is read in every turn of the event loop, 310 and more. */
const MOST_MILLIS_FOR_A_CALL = 220;
const CALLS = 5;
const FLOODING = 40;
const FLOOD_BYTES = 4 * 1_048_576;

const inBytes = (count: number) => Buffer.from('1\r\n{\r\n'.repeat(count));
const inOne = (count: number) => Buffer.from(`${count.toString(16)}\r\n${'{'.repeat(count)}\r\n`);

const chunked = (line: string, headers = {}) =>
  head(line, { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers });

const dialled: Socket[] = [];
afterEach(() => {
  for (const socket of dialled.splice(0)) socket.destroy();
});

function dial(address: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  dialled.push(socket);
  return socket;
}

async function megabytesOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** On their way to this address, or not read there. */
async function unreadBytesAt(address: string): Promise<number> {
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1, -1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, remote]) => `${local} ${remote}`.includes(`:${port}`))
    .flatMap(([, , , , queues = '']) => queues.split(':'))
    .reduce((sum, bytes) => sum + Number.parseInt(bytes, 16), 0);
}

onLinux('unfinished bodies take hardly more memory than in one chunk', async () => {
  const { child, addresses } = await spawnBellhop({
    BELLHOP_ROLES: 'back-office',
    // What is held counts, not how much garbage a fast sender makes before the next collection.
    NODE_OPTIONS: '--max-semi-space-size=1',
  });
  const { backOffice } = addresses;

  /** With all the bodies in it. */
  async function megabytesWith(connections: number, request: string, body: Buffer) {
    const bytes = Buffer.concat([Buffer.from(request), body]);
    const sockets = Array.from({ length: connections }, () => dial(backOffice));
    await Promise.all(
      sockets.map((socket) => new Promise<void>((sent) => socket.write(bytes, () => sent()))),
    );
    await eventually(
      () => unreadBytesAt(backOffice),
      (left) => left === 0,
      60_000,
    );
    const megabytes = await megabytesOf(child.pid);
    for (const socket of sockets) socket.destroy();
    return megabytes;
  }

  /** The second time, because the first one also loads code. */
  async function controlWith(connections: number, request: string, body: Buffer) {
    await megabytesWith(connections, request, body);
    return megabytesWith(connections, request, body);
  }

  const signIn = chunked('POST /console/session');
  const control = await controlWith(60, signIn, inOne(4_000));
  expect((await megabytesWith(60, signIn, inBytes(4_000))) - control).toBeLessThan(MOST_MORE_MB);

  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const events = chunked('POST /orders/v1/production/events', { authorization });
  const eventsControl = await controlWith(6, events, inOne(65_000));
  const eventsInBytes = await megabytesWith(6, events, inBytes(65_000));
  expect(eventsInBytes - eventsControl).toBeLessThan(MOST_MORE_MB);
});

onLinux('bodies that nobody reads do not keep the thread from serving others', async () => {
  const { child, addresses } = await spawnBellhop();
  const flood = inBytes(20_000);

  /** Resolves when it has its reply, and goes on sending. */
  function floodAt(address: string, request: string): Promise<unknown> {
    const socket = dial(address);
    socket.write(request);
    const send = () => {
      while (socket.bytesWritten < FLOOD_BYTES && socket.write(flood));
    };
    socket.on('drain', send);
    send();
    return new Promise((resolve) => socket.once('data', resolve));
  }

  for (const [address, line, path, status] of [
    [addresses.backOffice, 'GET /health/live', '/health/live', 200],
    [addresses.production, `POST ${OVERVIEW_PATH}`, OVERVIEW_PATH, 401],
  ] as const) {
    await Promise.all(Array.from({ length: FLOODING }, () => floodAt(address, chunked(line))));
    const millis: number[] = [];
    for (let calls = 0; calls < CALLS; calls++) {
      const before = await cpuMicrosOf(child.pid);
      expect((await call(address, { path })).status).toBe(status);
      millis.push(((await cpuMicrosOf(child.pid)) - before) / 1_000);
    }
    // The one in the middle: one may have loaded code, or a process that was started for the first time stores what it
    // has compiled; and with the defect, a call is sometimes lucky.
    const sorted = millis.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(CALLS / 2)]).toBeLessThan(MOST_MILLIS_FOR_A_CALL);
    for (const socket of dialled.splice(0)) socket.destroy();
  }
});

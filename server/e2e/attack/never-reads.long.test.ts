/** Callers that send but never read, and callers that all connect at once, on every kind of listener. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { spawnBellhop, type TestBellhop } from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { bodyOf, sharedUpstream } from '../upstream.ts';
import { call, FORWARDED_PATH, head, OVERVIEW_PATH, openWire } from '../wire.ts';

const CONNECTIONS = 200;
/** More than the system's buffers between the two processes can hold. */
const REQUESTS_EACH = 20_000;
/** Up to 100. Without the limits, each connection took over 5 MB. */
const MOST_GROWTH_MB = 150;

const pipelinedAt = {
  production: /_cut_total\{listener="production",reason="pipelined"\} (\d+)/,
  backOffice: /_cut_total\{listener="back-office",reason="pipelined"\} (\d+)/,
};

function megabytesOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

async function metricsOf({ addresses }: TestBellhop): Promise<string> {
  return (await call(addresses.backOffice, { path: '/metrics' })).text;
}

function dial(address: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

test.runIf(process.platform === 'linux').each([
  ['production', OVERVIEW_PATH, 401],
  ['backOffice', '/openapi.json', 200],
] as const)(
  'endless pipelined requests on %s use little memory and are disconnected',
  async (listener, path, status) => {
    const bellhop = await spawnBellhop();
    const address = bellhop.addresses[listener];
    const pid = bellhop.child.pid as number;
    await call(address, { path });
    const beforeMb = megabytesOf(pid);
    const flood = head(`GET ${path}`).repeat(REQUESTS_EACH);
    for (let i = 0; i < CONNECTIONS; i++) dial(address).pause().write(flood);
    const cut = async () => Number(pipelinedAt[listener].exec(await metricsOf(bellhop))?.[1]);
    await eventually(cut, (connections) => connections === CONNECTIONS);
    expect(megabytesOf(pid) - beforeMb).toBeLessThan(MOST_GROWTH_MB);
    expect((await call(address, { path })).status).toBe(status);
  },
);

test('2,000 callers that connect at the same moment are all answered', async () => {
  const { addresses } = await spawnBellhop();
  const replies = await Promise.all(
    Array.from({ length: 2_000 }, async () => {
      const socket = dial(addresses.sandbox);
      socket.write(head(`GET ${OVERVIEW_PATH}`));
      const [bytes] = await once(socket, 'data');
      return String(bytes).slice(0, 12);
    }),
  );
  expect(new Set(replies)).toEqual(new Set(['HTTP/1.1 401']));
});

const upstream = sharedUpstream();

test('pipelined GET, POST, GET reach the upstream in this order', async () => {
  const bellhop = await spawnBellhop({ BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url });
  const { authorization } = await bellhop.newKey('sandbox');
  const seen: string[] = [];
  upstream.answer = async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await bodyOf(request)}`.trim());
    const reply = String(seen.length);
    response.writeHead(200, { 'content-length': reply.length }).end(reply);
  };
  const wire = await openWire(bellhop.addresses.sandbox);
  const get = (n: number) => head(`GET ${FORWARDED_PATH}?n=${n}`, { Authorization: authorization });
  const post = head(`POST ${FORWARDED_PATH}?n=2`, {
    Authorization: authorization,
    'Content-Length': '2',
  });
  wire.write(`${get(1)}${post}{}${get(3)}`);
  for (const expected of ['1', '2', '3']) {
    expect((await wire.next()).text).toBe(expected);
  }
  expect(seen).toEqual([
    `GET ${FORWARDED_PATH}?n=1`,
    `POST ${FORWARDED_PATH}?n=2 {}`,
    `GET ${FORWARDED_PATH}?n=3`,
  ]);
});

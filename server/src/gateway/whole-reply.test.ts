/** Its replies, byte for byte beside those that node:http makes of the same headers. */
import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { RepeatedBody, sendWhole } from './whole-reply.ts';

const HEADERS = [
  'Content-Type',
  'text/plain',
  'X-Twice',
  '1',
  'X-Twice',
  'é',
  'Content-Length',
  '3',
];
const BODY = 'abé';
const PATHS = ['/a', '/b', '/c'];

type Send = (
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  body: string,
) => void;

const repeated = new RepeatedBody(BODY);
const WAYS: Record<string, Send> = {
  'whose body is text': sendWhole,
  'whose body is repeated': (response, status, headers) =>
    sendWhole(response, status, headers, repeated),
};

const byNode: Send = (response, status, headers, body) => {
  response.writeHead(status, headers as string[]);
  response.end(body, 'latin1');
};

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const HEAD = GET.replace('GET', 'HEAD');
const LAST = GET.replace('Host', 'Connection: close\r\nHost');

const CASES: [string, { status?: number; requests: string; before?: RequestListener }][] = [
  ['on a connection that goes on', { requests: GET + GET + LAST }],
  ['to HEAD', { requests: HEAD + LAST }],
  ['to HTTP/1.0', { requests: 'GET / HTTP/1.0\r\n\r\n' }],
  [
    'to HTTP/1.0 that would go on',
    { requests: `GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${LAST}` },
  ],
  ['with an error', { status: 429, requests: GET + LAST }],
  ['with a status that has no name', { status: 299, requests: GET + LAST }],
  ['without a body', { status: 304, requests: GET + LAST }],
  [
    'that ends its connection',
    {
      requests: GET + GET,
      before: (_, response) => void Object.assign(response, { shouldKeepAlive: false }),
    },
  ],
  [
    'with headers that were set before',
    { requests: GET + LAST, before: (_, response) => void response.setHeader('Vary', 'Origin') },
  ],
  [
    'without a date',
    {
      requests: GET + LAST,
      before: (_, response) => void Object.assign(response, { sendDate: false }),
    },
  ],
];

const EACH_WAY = Object.entries(WAYS).flatMap(([way, send]) =>
  CASES.map(([what, one]) => ({ what: `${way}, ${what}`, send, one })),
);

test.each(EACH_WAY)('a reply $what, is the one that node:http sends', async ({ send, one }) => {
  const [ours, theirs] = [await replies(send, one), await replies(byNode, one)];
  // The second may have changed between the two.
  const [sent, expected] = [ours, theirs].map(({ bytes }) =>
    bytes.replace(/^Date: .+$/gm, 'Date: now'),
  );
  expect(sent).toBe(expected);
  expect(ours.bytes).toMatch(/^HTTP\/1\.1 /);
  expect(ours.told).toEqual(theirs.told);
});

test('replies that connections cannot take yet are not mixed up', async () => {
  const received: Promise<string>[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = createNetServer((socket) => {
    received.push(text(socket.setEncoding('latin1')));
    if (received.length === PATHS.length) arrived.resolve();
  });
  const port = await portOf(server);
  const body = new RepeatedBody(BODY);
  const sockets = PATHS.map((path) => {
    // Until it is connected, it keeps what is written.
    const socket = connect(port, '127.0.0.1');
    const request = Object.assign(new IncomingMessage(socket), {
      ...{ httpVersionMajor: 1, httpVersionMinor: 1 },
    });
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    sendWhole(response, 200, ['X-Path', path], body);
    expect(socket.writableLength).toBeGreaterThan(BODY.length);
    return socket;
  });
  await arrived.promise;
  for (const socket of sockets) socket.end();
  const replies = await Promise.all(received);
  const paths = replies.map((reply) => /^X-Path: (.*)\r$/m.exec(reply)?.[1]);
  expect(paths.toSorted()).toEqual(PATHS);
  for (const reply of replies) expect(reply.endsWith(`\r\n\r\n${BODY}`)).toBe(true);
});

test('the date is the present one', async () => {
  const startedMs = Date.now();
  const { bytes } = await replies(sendWhole, { requests: LAST });
  const first = await replies(sendWhole, { requests: GET + LAST });
  for (const text of [bytes, first.bytes]) {
    const dateMs = Date.parse(/^Date: (.*)\r$/m.exec(text)?.[1] ?? '');
    expect(dateMs).toBeGreaterThanOrEqual(startedMs - 1_000);
    expect(dateMs).toBeLessThanOrEqual(Date.now());
  }
});

/** What the caller reads until its connection ends, with one date for all, and what each reply says of itself. */
async function replies(
  send: Send,
  { status = 200, requests, before }: (typeof CASES)[number][1],
): Promise<{ bytes: string; told: unknown[] }> {
  const told: unknown[] = [];
  const port = await listening((request, response) => {
    before?.(request, response);
    send(response, status, HEADERS, BODY);
    const { headersSent, statusCode, writableEnded } = response;
    const one: Record<string, unknown> = { headersSent, statusCode, writableEnded };
    told.push(one);
    response.once('finish', () => {
      one.finished = response.writableFinished;
    });
  });
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1');
  socket.write(requests);
  return { bytes: await text(socket), told };
}

function listening(serve: RequestListener): Promise<number> {
  return portOf(createServer({ keepAliveTimeout: 7_000 }, serve));
}

async function portOf(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

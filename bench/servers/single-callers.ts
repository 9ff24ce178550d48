/**
 * Order systems that post one event at a time: each caller keeps its connection, posts an event, waits
 * for the 202 and posts the next. Plain sockets, so that the callers use less CPU time than the server
 * that they call. `/run?url=…&count=…&callers=…` answers with the seconds. Arguments: token, partner id and
 * midoffice ids, comma-separated.
 */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { listening } from './listening.ts';

const [token = '', partnerId = '', midoffices = ''] = process.argv.slice(2);
const midofficeIds = midoffices.split(',');
const run = Date.now().toString(36);
let events = 0;

/** Posts events until `next` has no more. */
function caller(url: URL, next: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: `;
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    let reply = '';
    function post(): void {
      const body = next();
      if (body === undefined) {
        socket.end();
        resolve();
      } else socket.write(`${head}${body.length}\r\n\r\n${body}`);
    }
    socket.once('connect', post);
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      reply += chunk.toString('latin1');
      if (!isWhole(reply)) return;
      if (!reply.startsWith('HTTP/1.1 202 ')) {
        socket.destroy();
        reject(new Error(reply));
        return;
      }
      reply = '';
      post();
    });
  });
}

function isWhole(reply: string): boolean {
  const end = reply.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(reply.slice(0, end + 2))?.[1];
  return reply.length >= end + 4 + Number(length ?? 0);
}

function newEvent(): string {
  const id = `${run}-single-${++events}`;
  return JSON.stringify({
    event_id: id,
    type: 'created',
    partner_id: partnerId,
    partner_order_id: id,
    midoffice_id: midofficeIds[events % midofficeIds.length],
  });
}

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const url = new URL(searchParams.get('url') as string);
  let left = Number(searchParams.get('count'));
  const next = () => (left-- > 0 ? newEvent() : undefined);
  const startedMs = performance.now();
  try {
    await Promise.all(
      Array.from({ length: Number(searchParams.get('callers')) }, () => caller(url, next)),
    );
    response.end(String((performance.now() - startedMs) / 1_000));
  } catch (error) {
    response.writeHead(502).end(String(error));
  }
});
listening(server);

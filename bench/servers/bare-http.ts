/**
 * What overview/ is compared with: node:http that sends the very bytes of Bellhop's reply and does
 * nothing else. It fetches that reply once, at its start. Arguments: address, Authorization.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listening } from './listening.ts';

/** node:http writes these itself, on both sides. */
const BY_ITSELF = new Set(['date', 'connection', 'keep-alive']);

const [address = '', authorization = ''] = process.argv.slice(2);
const request = get(address, {
  headers: { authorization, connection: 'keep-alive' },
  agent: false,
});
const [reply] = (await once(request, 'response')) as [IncomingMessage];
const body = (await buffer(reply)).toString('latin1');
const headers: string[] = [];
for (let i = 0; i < reply.rawHeaders.length; i += 2) {
  const [name, value] = reply.rawHeaders.slice(i, i + 2) as [string, string];
  if (!BY_ITSELF.has(name.toLowerCase())) headers.push(name, value);
}
const keepAliveSeconds = Number(
  /timeout=(\d+)/.exec(String(reply.headers['keep-alive']))?.[1] ?? 5,
);
const status = reply.statusCode as number;

const server = createServer(
  { keepAliveTimeout: keepAliveSeconds * 1_000 },
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body, 'latin1');
  },
);
listening(server);

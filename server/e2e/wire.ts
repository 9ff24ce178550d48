/**
 * HTTP as it is on the wire, for whole-system tests: fetch hides what they look at (the order of
 * headers, repeated ones, a reply that was cut short, requests that are not valid).
 */
import { once } from 'node:events';
import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { connect, type Socket } from 'node:net';

export const OVERVIEW_PATH = '/api/b2b/v3/overview/';
export const FORWARDED_PATH = '/api/b2b/v3/hotel/info/';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  /** Name, value, name, value … as received. */
  rawHeaders: string[];
  body: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects.
  json: any;
}

export interface CallOptions {
  method?: string;
  path?: string;
  authorization?: string | undefined;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Keeps connections open for later calls. */
  agent?: Agent;
}

/** One call, read to the end; on a new connection unless there is an agent. */
export async function call(address: string, options: CallOptions = {}): Promise<Reply> {
  const {
    method = 'GET',
    path = OVERVIEW_PATH,
    authorization,
    headers = {},
    body,
    agent,
  } = options;
  const request = httpRequest(address, {
    method,
    path,
    agent: agent ?? false,
    headers: { ...(authorization !== undefined && { authorization }), ...headers },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return readReply(response);
}

export async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return replyOf(response.statusCode ?? 0, response.rawHeaders, Buffer.concat(chunks));
}

/** A connection on which a test writes and reads raw bytes. */
export interface Wire {
  socket: Socket;
  write(bytes: string | Buffer): void;
  /** The next reply; rejects if the connection ends before it is complete. */
  next(method?: string): Promise<Reply>;
  /** Resolves when the server has closed the connection, to the bytes that were not read yet. */
  ended(): Promise<Buffer>;
}

export async function openWire(address: string): Promise<Wire> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  await once(socket, 'connect');
  let received: Buffer = Buffer.alloc(0);
  let over = false;
  let wake = () => {};
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk as Buffer]);
    wake();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        over = true;
        wake();
        resolve();
      });
    }
  });
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    async next(method = 'GET') {
      for (;;) {
        const parsed = takeReply(received, method);
        if (parsed) {
          received = received.subarray(parsed.length);
          return parsed.reply;
        }
        if (over) throw new Error(`the connection ended after ${JSON.stringify(String(received))}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async ended() {
      await closed;
      return received;
    },
  };
}

/** The head of a request, ready to send; adds a Host header unless one is given. */
export function head(line: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'bellhop.test', ...headers })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** All of Bellhop's own replies with a body have a length. */
function takeReply(bytes: Buffer, method: string): { reply: Reply; length: number } | undefined {
  const endOfHead = bytes.indexOf('\r\n\r\n');
  if (endOfHead < 0) return undefined;
  const [line = '', ...lines] = bytes.subarray(0, endOfHead).toString('latin1').split('\r\n');
  const rawHeaders = lines.flatMap((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1).trim()];
  });
  const status = Number(line.split(' ')[1]);
  const lengthAt = rawHeaders.findIndex((name) => name.toLowerCase() === 'content-length');
  const bodyless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const bodyLength = bodyless || lengthAt < 0 ? 0 : Number(rawHeaders[lengthAt + 1]);
  const length = endOfHead + 4 + bodyLength;
  if (bytes.length < length) return undefined;
  return { reply: replyOf(status, rawHeaders, bytes.subarray(endOfHead + 4, length)), length };
}

function replyOf(status: number, rawHeaders: string[], body: Buffer): Reply {
  const headers: IncomingHttpHeaders = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers[(rawHeaders[i] as string).toLowerCase()] = rawHeaders[i + 1] as string;
  }
  const text = body.toString();
  return {
    status,
    headers,
    rawHeaders,
    body,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

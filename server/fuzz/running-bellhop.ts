/** A real Bellhop with a booking core behind it, for fuzzing what comes in over HTTP. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../src/main/main.ts';

const TOKEN = 'fuzz-admin-token-0123456789';
/** A server that sends nothing for this long waits for more of the request. */
const SILENT_MS = 40;
/** Requests at a time. */
export const PARALLEL = 16;

export interface RunningBellhop {
  token: string;
  sandbox: string;
  backOffice: string;
  /** Requests that have reached the booking core since the last call. */
  forwarded(): IncomingMessage[];
  support(method: string, path: string, body?: unknown): Promise<{ status: number; body: never }>;
  close(): Promise<void>;
}

export async function startBellhop(): Promise<RunningBellhop> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-fuzz-'));
  let seen: IncomingMessage[] = [];
  const core = createServer((request, response) => {
    seen.push(request);
    request.resume().once('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(core, 'listening');
  const bellhop = await start(
    {
      BELLHOP_DATA_DIR: folder,
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_PORT: '0',
      BELLHOP_BACK_OFFICE_PORT: '0',
      BELLHOP_PORTAL_PORT: '0',
      BELLHOP_ADMIN_TOKEN: TOKEN,
      BELLHOP_DEMO: 'off',
      BELLHOP_LOG_LEVEL: 'silent',
      BELLHOP_SANDBOX_UPSTREAM_URL: `http://127.0.0.1:${(core.address() as AddressInfo).port}`,
    },
    () => {},
  );
  void bellhop.failed.then((sentence) => {
    throw new Error(sentence);
  });
  const { sandbox = '', backOffice = '' } = bellhop.addresses;
  return {
    ...{ token: TOKEN, sandbox, backOffice },
    forwarded() {
      const requests = seen;
      seen = [];
      return requests;
    },
    async support(method, path, body) {
      const reply = await fetch(backOffice + path, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: reply.status, body: (await reply.json()) as never };
    },
    async close() {
      await bellhop.stop();
      core.closeAllConnections();
      core.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface NewKey {
  keyId: string;
  partnerId: string;
  authorization: string;
}

export async function newKey({ support }: RunningBellhop): Promise<NewKey> {
  const partner: { body: { id: string } } = await support('POST', '/support/v1/sandbox/partners', {
    name: 'Fuzz',
    integration_started_on: '2025-11-01',
    is_new: true,
  });
  const path = `/support/v1/sandbox/partners/${partner.body.id}/keys`;
  const key: { body: { key_id: string; api_key: string } } = await support('POST', path, {});
  const { key_id, api_key } = key.body;
  const authorization = `Basic ${Buffer.from(`${key_id}:${api_key}`).toString('base64')}`;
  return { keyId: key_id, partnerId: partner.body.id, authorization };
}

/** Replaces `{name}` with the value of that name. */
export function fill(input: Buffer, values: Record<string, string>): Buffer {
  const text = input.toString('latin1').replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  return Buffer.from(text, 'latin1');
}

/** Sends bytes as they are. Resolves to what came back before the server closed or fell silent. */
export function exchange(address: string, bytes: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(silence);
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    const silence = setTimeout(finish, SILENT_MS);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received.push(chunk as Buffer);
      silence.refresh();
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

/** A forwarder between real callers and a real upstream, on a manual clock. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { listening } from '../../test/support.ts';
import { defaultGrant, OVERVIEW } from '../src/base/catalogue.ts';
import { defaultGrants, type Grant } from '../src/base/grants.ts';
import { Call } from '../src/gateway/call.ts';
import { createForwarder } from '../src/gateway/forward.ts';
import type { ForwardLimits } from '../src/gateway/forward-limits.ts';
import { Refusal } from '../src/gateway/refusal.ts';
import { sendRefusal } from '../src/gateway/reply.ts';
import type { Standing } from '../src/limiter/limiter.ts';
import { ManualClock } from './manual-clock.ts';

/** A forwarder between an HTTP server, whose callers name their partner, and an upstream. */
export async function rig(answer: RequestListener, limits: Partial<ForwardLimits> = {}) {
  const upstream = createServer({ keepAliveTimeout: 60_000 }, answer);
  const { url } = await listening(upstream);
  let connections = 0;
  upstream.on('connection', () => connections++);
  return {
    ...(await forwardTo(url, limits)),
    upstream,
    connections: () => connections,
    nextRequest: async () => (await once(upstream, 'request'))[0] as IncomingMessage,
  };
}

const grants = defaultGrants();

const grant = { ...defaultGrant(OVERVIEW), is_limited: false };

export async function forwardTo(
  url: string,
  limits: Partial<ForwardLimits> = {},
  limited?: { grant: Grant; standing: Standing },
) {
  const clock = new ManualClock();
  const forwarder = createForwarder({
    url,
    timeoutMs: 3_600_000,
    environment: 'sandbox',
    clock,
    limits,
  });
  const server = createServer(async (incoming, response) => {
    const call = new Call(incoming, response, '127.0.0.1', 0);
    const partnerId = String(incoming.headers['x-partner'] ?? 'a');
    const method = incoming.method === 'POST' ? 'POST' : 'GET';
    const known = {
      keyId: '1',
      disabled: false,
      addressAllowed: true,
      inOverlap: undefined,
      logged: '',
    };
    const caller = { ...known, partnerId, grants };
    if (limited) {
      call.grant = limited.grant;
      call.stands(limited.standing, clock.monotonic());
    }
    try {
      const reserved = forwarder.reserve({ call, caller, endpoint: 'x/', grant, method });
      await forwarder.forward({ stage: await reserved });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendRefusal(call, error, { clock, errorForm: 'object' });
    }
  });
  onTestFinished(() => forwarder.close());
  const { url: address, port } = await listening(server);

  const call = async (partner = 'a', headers = {}) => {
    const sent = request(address, { agent: false, headers: { 'x-partner': partner, ...headers } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
  };
  /** A connection on which these bytes have been sent. */
  const dial = async (bytes: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'connect');
    return socket;
  };
  return { clock, call, dial };
}

export async function textOf(readable: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of readable) text += chunk;
  return text;
}

/** Resolves however the connection ends. */
export const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

export const post = (headers: string) => `POST /x/ HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;

/** Long enough for bytes on loopback to arrive. */
export async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

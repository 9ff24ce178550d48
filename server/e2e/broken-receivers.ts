/**
 * A receiver as a partner might write it from the specification alone, without our package. It is
 * correct, or has just the one flaw that a test asks for.
 */

import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '../../test/support.ts';

export const API_KEY = '7b0f6b2e-30cf-4d5e-9d5a-2c8f4be7c4a1';
const EXAMPLE_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

/** The lines of the report that catch each flaw; no others may fail. */
export const flaws = {
  'answers 204': ['status-200'],
  'accepts anything': [
    'forged-signature',
    'unsigned',
    'wrong-key',
    'example-key',
    'empty-key',
    'stale-timestamp',
    'future-timestamp',
    'repeated-token',
    'malformed-json',
    'empty-body',
    'json-null',
    'wrong-types',
    'wrong-content-type',
    'deep-nesting',
    'huge-body',
  ],
  'ignores the timestamp': ['stale-timestamp', 'future-timestamp'],
  'ignores how far ahead the timestamp is': ['future-timestamp'],
  'ignores repeated tokens': ['repeated-token'],
  'remembers tokens before it checks': ['forgery-first'],
  'compares half of the signature': ['forged-signature', 'forgery-first'],
  'checks a signature only where there is one': ['unsigned'],
  'accepts the example key': ['example-key'],
  'accepts an empty key': ['empty-key'],
  'answers 500 to a redelivery': ['redelivery'],
  'knows the data form only': ['flat-form'],
  'knows the flat form only': ['data-form'],
  'does not know cancelled': ['cancelled'],
  'requires agreement_number to be absent': ['optional-fields'],
  'takes ids of 36 characters at most': ['longest-id', 'longest-non-ascii-id'],
  'takes ids of 2 characters at least': ['shortest-id'],
  'counts UTF-16 units': ['longest-non-ascii-id'],
  'breaks on non-ASCII': ['non-ascii-id', 'longest-non-ascii-id'],
  'crashes on malformed JSON': ['malformed-json'],
  'answers 500 to null': ['json-null'],
  'resets the connection on an empty body': ['empty-body'],
  'shows the stack': ['no-leak'],
  'tells the signature that it expects': ['no-leak'],
  'tells the key': ['no-leak'],
  redirects: ['no-redirect'],
  hangs: ['in-time'],
} as const;

export type Flaw = keyof typeof flaws;

const LARGEST_BODY = 65_536;
const TOLERANCE_S = 15;

export async function startPartnerReceiver(flaw?: Flaw): Promise<string> {
  const tokens = new Set<string>();
  const events = new Set<string>();
  const server = createServer((request, response) => {
    void read(request).then((body) => answer(request, response, body));
  });
  const { url } = await listening(server);
  return `${url}/hook`;

  function answer(request: IncomingMessage, response: ServerResponse, body: string | undefined) {
    const reply = (status: number, text = '') =>
      void response.writeHead(status, { location: '/elsewhere' }).end(text);
    if (flaw === 'hangs') return;
    if (flaw === 'redirects') return reply(301);
    if (flaw === 'accepts anything') return reply(200);
    if (body === undefined) return reply(413);
    if (flaw === 'resets the connection on an empty body' && body === '') {
      return void request.socket.resetAndDestroy();
    }
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch (error) {
      if (flaw === 'crashes on malformed JSON' && body !== '') {
        server.close();
        server.closeAllConnections();
        return;
      }
      return reply(400, flaw === 'shows the stack' ? (error as Error).stack : '');
    }
    if (parsed === null && flaw === 'answers 500 to null') return reply(500);
    if (!isObject(parsed)) return reply(400);
    const status = judge(parsed, request, body);
    reply(status, status === 401 ? tellTale(parsed) : '');
  }

  function tellTale({ signature }: Record<string, unknown>): string {
    const { timestamp, token } = signature as Record<string, unknown>;
    if (flaw === 'tells the key') return `not signed with ${API_KEY}`;
    if (flaw !== 'tells the signature that it expects') return '';
    return `expected ${hmac(API_KEY, `${timestamp}${token}`)}`;
  }

  function judge(parsed: Record<string, unknown>, request: IncomingMessage, body: string): number {
    if (flaw === 'breaks on non-ASCII' && /[^\x20-\x7e]/.test(body)) return 500;
    const fields = fieldsOf(parsed);
    if (!fields) return 400;
    const { signature: secure } = parsed;
    if (secure === undefined && flaw === 'checks a signature only where there is one') return 200;
    if (!isObject(secure)) return 400;
    const { signature, timestamp, token } = secure;
    if (typeof signature !== 'string' || typeof timestamp !== 'number') return 400;
    if (typeof token !== 'string') return 400;

    if (flaw === 'remembers tokens before it checks' && repeats(token)) return 401;
    if (!isSigned(signature, `${timestamp}${token}`)) return 401;
    const ahead = timestamp - Date.now() / 1_000;
    if (flaw !== 'ignores the timestamp') {
      if (ahead < -TOLERANCE_S) return 401;
      if (ahead > TOLERANCE_S && flaw !== 'ignores how far ahead the timestamp is') return 401;
    }
    if (flaw !== 'remembers tokens before it checks' && repeats(token)) return 401;
    return take(fields, String(request.headers['webhook-id']));
  }

  function repeats(token: string): boolean {
    if (flaw === 'ignores repeated tokens') return false;
    const known = tokens.has(token);
    tokens.add(token);
    return known;
  }

  function isSigned(signature: string, message: string): boolean {
    const keys = [API_KEY];
    if (flaw === 'accepts the example key') keys.push(EXAMPLE_KEY);
    if (flaw === 'accepts an empty key') keys.push('');
    const compared = flaw === 'compares half of the signature' ? 32 : 64;
    return keys.some(
      (key) => hmac(key, message).slice(0, compared) === signature.slice(0, compared),
    );
  }

  function take(fields: Record<string, unknown>, eventId: string): number {
    const { type, partner_order_id: id, agreement_number } = fields;
    const types = ['created', 'updated', 'cancelled'];
    if (flaw === 'does not know cancelled') types.pop();
    if (!types.includes(String(type)) || typeof id !== 'string') return 400;
    const length = flaw === 'counts UTF-16 units' ? id.length : [...id].length;
    if (length > (flaw === 'takes ids of 36 characters at most' ? 36 : 256)) return 400;
    if (length < (flaw === 'takes ids of 2 characters at least' ? 2 : 1)) return 400;
    if (agreement_number && flaw === 'requires agreement_number to be absent') return 400;
    if (events.has(eventId) && flaw === 'answers 500 to a redelivery') return 500;
    events.add(eventId);
    return flaw === 'answers 204' ? 204 : 200;
  }

  function fieldsOf(parsed: Record<string, unknown>): Record<string, unknown> | undefined {
    const flat = flaw === 'knows the data form only' ? {} : parsed;
    const data = flaw === 'knows the flat form only' ? undefined : parsed.data;
    if (data === undefined) return 'partner_order_id' in flat ? flat : undefined;
    return isObject(data) ? data : undefined;
  }
}

/** Undefined if it is too large. It is still read to the end, so that the sender sees the answer. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= LARGEST_BODY) chunks.push(chunk);
  }
  return length > LARGEST_BODY ? undefined : Buffer.concat(chunks).toString();
}

function hmac(key: string, message: string): string {
  return createHmac('sha256', key).update(message).digest('hex');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

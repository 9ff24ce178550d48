/** The receiver behind `listen`: it verifies each webhook, answers or forwards it, and reports it. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody } from '../body.ts';
import { DEFAULT_MAX_BODY_BYTES } from '../receive.ts';
import { memoryTokenStore } from '../token-store.ts';
import { createVerifier, type Refusal } from '../verify.ts';
import { reasonOf } from './reason-of.ts';
import { readWhole } from './small-server.ts';

/** The default time that Bellhop waits for a receiver. */
const FORWARD_MS = 10_000;
/** How many events have their attempts counted. Beyond that, the oldest are forgotten. */
const MOST_COUNTED = 10_000;
/** Not forwarded: headers of one connection, and headers that fetch sets itself. */
const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface ListenerOptions {
  path: string;
  /** The status that a genuine webhook gets, unless it is forwarded. */
  reply: number;
  forwardTo: string | undefined;
  toleranceSeconds: number | false;
  /** Webhooks that arrive before the key is known wait for it. */
  apiKey: Promise<string>;
  onArrival(arrival: Arrival): void;
}

/** A request and its outcome. */
export interface Arrival {
  at: Date;
  method: string;
  path: string;
  verdict: 'verified' | Refusal | 'too_large' | 'not_the_hook';
  /** Why it was refused. */
  message?: string;
  /** From the body, genuine or not. */
  type?: string;
  partnerOrderId?: string;
  webhookId?: string;
  /** How often this event has arrived since the listener started. Unknown without a webhook-id. */
  attempt?: number;
  answered: number;
  /** Why it could not be forwarded, and where to. */
  forwardError?: string;
}

type Judged = Omit<Arrival, 'at' | 'method' | 'path' | 'answered' | 'forwardError'>;

export function createListener(options: ListenerOptions): RequestListener {
  const attempts = new Map<string, number>();
  const verifier = options.apiKey.then((apiKey) =>
    createVerifier({
      apiKey,
      toleranceSeconds: options.toleranceSeconds,
      tokenStore: memoryTokenStore(),
    }),
  );
  // Handled by the caller, who holds the same promise.
  verifier.catch(() => {});

  return (request, response) => {
    receive(request, response).catch(() => response.destroy());
  };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = new Date();
    const { method = '', url = '' } = request;
    const body = await readWhole(request, DEFAULT_MAX_BODY_BYTES);
    const judged = await judge(request, body);
    const answer = await answerTo(judged, request, body);
    const contentType = answer.contentType ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': contentType }).end(answer.body);
    const { status, forwardError } = answer;
    options.onArrival({
      at,
      method,
      path: url,
      ...judged,
      answered: status,
      ...(forwardError && { forwardError }),
    });
  }

  async function judge(request: IncomingMessage, body: Uint8Array | undefined): Promise<Judged> {
    const [path] = (request.url ?? '').split('?');
    if (request.method !== 'POST' || path !== options.path) return { verdict: 'not_the_hook' };
    if (!body) {
      const message = `The body is larger than ${DEFAULT_MAX_BODY_BYTES} bytes.`;
      return { verdict: 'too_large', message };
    }
    const verification = await (await verifier).verify(body, request.headers);
    const reading = readBody(new TextDecoder().decode(body));
    const told: Omit<Judged, 'verdict'> = reading.ok
      ? { type: reading.event.type, partnerOrderId: reading.event.partnerOrderId }
      : {};
    if (!verification.ok) {
      const { reason, message } = verification;
      // Stale and repeated webhooks were signed by Bellhop. The id of any other could be made up.
      const signed = reason === 'stale' || reason === 'replayed';
      return { ...told, ...(signed && count(request)), verdict: reason, message };
    }
    return { ...told, ...count(request), verdict: 'verified' };
  }

  function count({ headers }: IncomingMessage): { webhookId?: string; attempt?: number } {
    const webhookId = headers['webhook-id'];
    if (typeof webhookId !== 'string') return {};
    const attempt = (attempts.get(webhookId) ?? 0) + 1;
    attempts.delete(webhookId);
    attempts.set(webhookId, attempt);
    const [oldest] = attempts.keys();
    if (attempts.size > MOST_COUNTED && oldest !== undefined) attempts.delete(oldest);
    return { webhookId, attempt };
  }

  async function answerTo(
    { verdict }: Judged,
    request: IncomingMessage,
    body: Uint8Array | undefined,
  ): Promise<Answer> {
    if (verdict === 'not_the_hook') return say(request.method === 'POST' ? 404 : 405, verdict);
    if (verdict === 'too_large') return say(413, verdict);
    // Refused ones too: people who test their own checks want to see them fail.
    if (options.forwardTo) return forward(options.forwardTo, request, body as Uint8Array);
    if (verdict === 'verified') return say(options.reply, options.reply < 300 ? 'ok' : 'as_told');
    return say(verdict === 'malformed' ? 400 : 401, verdict);
  }
}

interface Answer {
  status: number;
  body: string | Uint8Array | null;
  contentType?: string;
  forwardError?: string;
}

function say(status: number, word: string): Answer {
  const hasNoBody = status === 204 || status === 304;
  return { status, body: hasNoBody ? null : JSON.stringify({ status: word }) };
}

async function forward(to: string, request: IncomingMessage, body: Uint8Array): Promise<Answer> {
  const headers = Object.entries(request.headers)
    .filter(([name]) => !OWN_HEADERS.has(name))
    .map(([name, value]): [string, string] => [name, [value].flat().join(', ')]);
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_MS),
    });
    return {
      status: response.status,
      body: new Uint8Array(await response.arrayBuffer()),
      contentType: response.headers.get('content-type') ?? 'application/octet-stream',
    };
  } catch (error) {
    return { ...say(502, 'not_forwarded'), forwardError: `${to}: ${reasonOf(error)}` };
  }
}

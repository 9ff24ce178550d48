import type { HeaderSource } from './headers.ts';
import { joined } from './joined.ts';
import { type Answer, createReceiver, type ReceiverOptions } from './receive.ts';

/** The parts of Node's and Express's request and response that the handler uses, without importing either. */
export interface NodeRequest {
  method?: string | undefined;
  headers: HeaderSource;
  /** Set by body parsers; useful only as raw text or bytes. */
  body?: unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'aborted' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause?(): unknown;
  resume?(): unknown;
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

/**
 * For `node:http` and Express: `app.post('/webhook', createNodeHandler({ … }))`. Mount it before or without
 * `express.json()`, because the signature covers the raw bytes. It also works after `express.raw()` or
 * `express.text()`.
 */
export function createNodeHandler(
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receiver = createReceiver(options);
  return async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' });
      response.end();
      return;
    }
    const body = await rawBody(request, receiver.maxBodyBytes);
    if (body === ABORTED) return;
    const answer = await answerTo(body, request.headers);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body);
  };

  async function answerTo(body: Body | TypeError, headers: HeaderSource): Promise<Answer> {
    if (body instanceof TypeError) return receiver.fail(body);
    if (body === TOO_LARGE) return receiver.refuseTooLarge();
    return receiver.receive(body, headers);
  }
}

/** Symbols, because a body may be any text, including these words. */
const ABORTED = Symbol('aborted');
const TOO_LARGE = Symbol('too large');
type Body = string | Uint8Array | typeof TOO_LARGE;

async function rawBody(
  request: NodeRequest,
  maxBytes: number,
): Promise<Body | TypeError | typeof ABORTED> {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null) {
    return new TypeError(
      'The body has already been parsed. Mount the webhook handler before express.json(), or use express.raw({ type: "application/json" }) on its route.',
    );
  }
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      // Keep reading but discard the data: a caller that is cut off would not see the answer.
      if (length > maxBytes) resolve(TOO_LARGE);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(joined(chunks, length)));
    request.on('error', () => resolve(ABORTED));
    request.on('close', () => resolve(ABORTED));
  });
}

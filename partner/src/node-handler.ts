import { joined } from './fetch-handler.ts';
import type { HeaderSource } from './headers.ts';
import { type Answer, createReceiver, type ReceiverOptions } from './receive.ts';

/** What the handler uses of Node's and Express's request and response, without importing either. */
export interface NodeRequest {
  method?: string | undefined;
  headers: HeaderSource;
  /** Set by body parsers: of use only as the raw text or bytes. */
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
 * For `node:http` and Express: `app.post('/webhook', createNodeHandler({ … }))`, before or without
 * `express.json()`, since the signature covers the bytes as they came. After `express.raw()` or
 * `express.text()` it works too.
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

/** Symbols, since a body may be any text, these words included. */
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
      'The body has been parsed already. Mount the webhook handler before express.json(), or use express.raw({ type: "application/json" }) on its route.',
    );
  }
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      // Read on, though nothing is kept: a caller that is cut off does not see the answer.
      if (length > maxBytes) resolve(TOO_LARGE);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(joined(chunks, length)));
    request.on('error', () => resolve(ABORTED));
    request.on('close', () => resolve(ABORTED));
  });
}

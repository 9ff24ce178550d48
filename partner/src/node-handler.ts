import { joined } from './fetch-handler.ts';
import type { HeaderSource } from './headers.ts';
import { createReceiver, type ReceiverOptions } from './receive.ts';

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
    if (body === 'aborted') return;
    const answer =
      body === 'too large'
        ? receiver.refuseTooLarge()
        : await receiver.receive(body, request.headers);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(answer.body);
  };
}

async function rawBody(
  request: NodeRequest,
  maxBytes: number,
): Promise<string | Uint8Array | 'too large' | 'aborted'> {
  const { body } = request;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined && body !== null) {
    throw new TypeError(
      'The body has been parsed already. Mount the webhook handler before express.json(), or use express.raw({ type: "application/json" }) on its route.',
    );
  }
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      // Read on, though nothing is kept: a caller that is cut off does not see the answer.
      if (length > maxBytes) resolve('too large');
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(joined(chunks, length)));
    request.on('error', () => resolve('aborted'));
    request.on('close', () => resolve('aborted'));
  });
}

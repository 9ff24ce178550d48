import { joined } from './joined.ts';
import { createReceiver, type ReceiverOptions } from './receive.ts';

/** For servers with Fetch-style handlers: Deno, Bun, workers, Hono, Next.js route handlers. */
export function createFetchHandler(
  options: ReceiverOptions,
): (request: Request) => Promise<Response> {
  const receiver = createReceiver(options);
  return async (request) => {
    if (request.method !== 'POST') {
      return new Response(null, { status: 405, headers: { allow: 'POST' } });
    }
    const body = await readCapped(request, receiver.maxBodyBytes);
    const answer = body ? await receiver.receive(body, request.headers) : receiver.refuseTooLarge();
    return new Response(answer.body, {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  };
}

/** Undefined if the body is too large. Never holds more than the limit in memory. */
async function readCapped(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return joined(chunks, length);
}

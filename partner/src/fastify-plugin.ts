import type { HeaderSource } from './headers.ts';
import { createReceiver, type ReceiverOptions } from './receive.ts';

/** What the plugin uses of Fastify, without importing it. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: never, reply: never) => unknown): unknown;
}

/** Any version of it, with whatever types its user has given it. */
export type AnyFastify = Record<keyof FastifyLike, (...args: never[]) => unknown>;

interface FastifyRequestLike {
  headers: HeaderSource;
  body: unknown;
}

interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  type(contentType: string): FastifyReplyLike;
  send(body: string): unknown;
}

/** `app.register(createFastifyPlugin({ path: '/webhook', … }))`; other routes keep their parsers. */
export function createFastifyPlugin(
  options: ReceiverOptions & { path: string },
): (app: AnyFastify) => Promise<void> {
  const receiver = createReceiver(options);
  return async (instance) => {
    const app = instance as unknown as FastifyLike;
    // In this plugin's own scope: the body is wanted as it came, whatever its type.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: receiver.maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    app.post(options.path, async (request: FastifyRequestLike, reply: FastifyReplyLike) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const answer = await receiver.receive(body, request.headers);
      return reply.code(answer.status).type('application/json').send(answer.body);
    });
  };
}

import type { HeaderSource } from './headers.ts';
import { createReceiver, type ReceiverOptions } from './receive.ts';

/** The parts of Fastify that the plugin uses, without importing it. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: unknown, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: never, reply: never) => unknown): unknown;
}

/** Any version of Fastify, with any type parameters. */
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
    // Its methods are declared for any arguments, so that every version fits.
    const app = instance as unknown as FastifyLike;
    // Only in this plugin's scope: keep the raw body, whatever its content type.
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

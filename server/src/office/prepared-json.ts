import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Serves a document that never changes: serialised on the first request, then cached. */
export function preparedJson(document: () => object | Promise<object>) {
  let preparing: ReturnType<typeof prepare> | undefined;
  const failed = (error: unknown): never => {
    preparing = undefined;
    throw error;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    preparing ??= prepare(document).catch(failed);
    const { body, etag } = await preparing;
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  };
}

async function prepare(document: () => object | Promise<object>) {
  const body = Buffer.from(JSON.stringify(await document()));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

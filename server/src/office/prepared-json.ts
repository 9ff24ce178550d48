import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Serves a document that never changes: serialised on the first request, then cached. */
export function preparedJson(document: () => object) {
  let prepared: { body: Buffer; etag: string } | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    prepared ??= prepare(document());
    reply.headers({ etag: prepared.etag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match']?.includes(prepared.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(prepared.body);
  };
}

function prepare(document: object): { body: Buffer; etag: string } {
  const body = Buffer.from(JSON.stringify(document));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

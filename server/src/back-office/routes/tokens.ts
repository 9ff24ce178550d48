import Type from 'typebox';
import { createToken, deleteToken, listTokens } from '../../support/tokens.ts';
import type { App, RouteParts } from '../app.ts';
import { input, NewToken, pageOfSchema, pageQuery, Token, TokenWithSecret } from '../schemas.ts';
import { actorOf } from '../sign-in.ts';

export function tokenRoutes(app: App, { signIn, tokenStore }: RouteParts): void {
  const base = '/support/v1/tokens';

  app.get(
    base,
    {
      onRequest: signIn.administers,
      schema: {
        tags: ['tokens'],
        summary: 'List tokens, newest first',
        querystring: input(pageQuery),
        response: { 200: pageOfSchema(Token) },
      },
    },
    (request) => listTokens(tokenStore, request.query),
  );

  app.post(
    base,
    {
      onRequest: signIn.administers,
      schema: {
        tags: ['tokens'],
        summary: 'Make a token, shown this once',
        body: NewToken,
        response: { 201: TokenWithSecret },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createToken(tokenStore, actorOf(request), request.body)),
  );

  const remove = {
    onRequest: signIn.administers,
    schema: { tags: ['tokens'], summary: 'Delete a token', response: { 204: Type.Null() } },
  };

  app.delete(
    base,
    { ...remove, schema: { ...remove.schema, querystring: input({ id: Type.String() }) } },
    async (request, reply) => {
      await deleteToken(tokenStore, actorOf(request), request.query.id);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    `${base}/:id`,
    { ...remove, schema: { ...remove.schema, params: Type.Object({ id: Type.String() }) } },
    async (request, reply) => {
      await deleteToken(tokenStore, actorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

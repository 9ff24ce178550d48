import Type from 'typebox';
import { createToken, deleteToken, listTokens } from '../../support/tokens/tokens.ts';
import type { App, RouteParts } from '../app.ts';
import { pageOfSchema, pageQuery, query, text } from '../schemas/forms.ts';
import { NewToken, Token, TokenWithSecret } from '../schemas/tokens.ts';
import { actorOf } from '../sign-in.ts';

export function tokenRoutes(app: App, { signIn, tokenStore }: RouteParts): void {
  const base = '/support/v1/tokens';

  app.get(
    base,
    {
      onRequest: signIn.administers,
      schema: {
        tags: ['tokens'],
        operationId: 'listTokens',
        summary: 'List tokens, newest first',
        querystring: query(pageQuery),
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
        operationId: 'createToken',
        summary: 'Create a token; it is shown only this once',
        body: NewToken,
        response: { 201: TokenWithSecret },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createToken(tokenStore, actorOf(request), request.body)),
  );

  const remove = {
    onRequest: signIn.administers,
    config: { problems: ['token_not_found', 'last_admin_token'] as const },
    schema: { tags: ['tokens'], response: { 204: Type.Null() } },
  };

  app.delete(
    base,
    {
      ...remove,
      schema: {
        ...remove.schema,
        operationId: 'deleteToken',
        summary: 'Delete a token',
        querystring: query({ id: text(0, 200, 'The id of the token.') }),
      },
    },
    async (request, reply) => {
      await deleteToken(tokenStore, actorOf(request), request.query.id);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    `${base}/:id`,
    {
      ...remove,
      schema: {
        ...remove.schema,
        operationId: 'deleteTokenById',
        summary: 'Delete a token, named in the path',
        params: Type.Object({ id: Type.String() }),
      },
    },
    async (request, reply) => {
      await deleteToken(tokenStore, actorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

/** The people who have signed in through OpenID Connect. */
import Type from 'typebox';
import { endSessionsOf, listPeople } from '../../support/people/people.ts';
import type { App, RouteParts } from '../app.ts';
import { pageOfSchema, pageQuery, query } from '../schemas/forms.ts';
import { Person } from '../schemas/people.ts';
import { actorOf } from '../sign-in.ts';

export function peopleRoutes(app: App, { signIn, tokenStore }: RouteParts): void {
  const base = '/support/v1/people';

  app.get(
    base,
    {
      onRequest: signIn.administers,
      schema: {
        tags: ['people'],
        operationId: 'listPeople',
        summary: 'List the people who have signed in through OpenID Connect, newest first',
        querystring: query(pageQuery),
        response: { 200: pageOfSchema(Person) },
      },
    },
    (request) => listPeople(tokenStore, request.query),
  );

  app.delete(
    `${base}/:id/sessions`,
    {
      onRequest: signIn.administers,
      config: { problems: ['person_not_found'] },
      schema: {
        tags: ['people'],
        operationId: 'endSessionsOfPerson',
        summary:
          'End all sessions of a person; they can sign in again while the provider lets them',
        params: Type.Object({ id: Type.String() }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await endSessionsOf(tokenStore, actorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );
}

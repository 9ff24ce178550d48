import { search } from '../../support/search/search.ts';
import type { App, RouteParts } from '../app.ts';
import { inEnvironment, query, text } from '../schemas/forms.ts';
import { SearchResult } from '../schemas/search.ts';

export function searchRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  app.get(
    '/support/v1/:environment/search',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['console'],
        operationId: 'search',
        summary: 'Find an order, delivery, event, key, partner or midoffice; at most 20',
        params: inEnvironment,
        querystring: query({
          q: text(0, 256, 'An id, or part of a name.'),
        }),
        response: { 200: SearchResult },
      },
    },
    (request) => search(environmentOf(request), request.query.q),
  );
}

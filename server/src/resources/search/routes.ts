import { query, text } from '../forms.ts';
import { route } from '../route.ts';
import { SearchResult, search } from './search.ts';

export const searchRoutes = [
  route(
    'search',
    'GET search',
    'Find an order, delivery, event, key, call, partner or midoffice; at most 20',
    {
      may: 'read',
      query: query({ q: text(0, 256, 'An id, or part of a name.') }),
      reply: SearchResult,
    },
    ({ environment, query }) => search(environment, query.q),
  ),
];

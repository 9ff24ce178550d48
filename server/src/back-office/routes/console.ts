/** What the console's first page and its search box ask for; programs may, too. */
import Type from 'typebox';
import type { EnvironmentName } from '../../config/settings.ts';
import { search } from '../../support/search.ts';
import { createStatsReader, type StatsReader, statsSpans } from '../../support/stats.ts';
import type { App, RouteParts } from '../app.ts';
import {
  environmentParams,
  input,
  ReceiverCheck,
  ReceiverToCheck,
  SearchResult,
  Stats,
  words,
} from '../schemas.ts';

const inEnvironment = Type.Object(environmentParams);

export function consoleRoutes(
  app: App,
  { signIn, deskOf, desks, tokenStore, partnerSide }: RouteParts,
): void {
  const base = '/support/v1/:environment';
  const readers = new Map<EnvironmentName, StatsReader>(
    [...desks].map(([name, desk]) => [
      name,
      createStatsReader(desk, tokenStore, () => partnerSide.refusedKeys(name)),
    ]),
  );

  app.get(
    `${base}/stats`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['console'],
        summary: 'How deliveries went, what waits, what fails, who is refused, what changed',
        params: inEnvironment,
        querystring: input({
          span: Type.Optional(words(statsSpans, 'How far the buckets reach back; an hour.')),
        }),
        response: { 200: Stats },
      },
    },
    (request) => {
      const { environment } = deskOf(request);
      return (readers.get(environment) as StatsReader)(request.query.span ?? 'hour');
    },
  );

  app.get(
    `${base}/search`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['console'],
        summary: 'Find an order, delivery, event, key, partner or midoffice; at most 20',
        params: inEnvironment,
        querystring: input({
          q: Type.String({ maxLength: 256, description: 'An id, or part of a name.' }),
        }),
        response: { 200: SearchResult },
      },
    },
    (request) => search(deskOf(request), request.query.q),
  );

  app.post(
    `${base}/receiver-check`,
    {
      // Not for viewers: it tells what names resolve to inside.
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        summary: 'Whether a URL could be registered as a receiver; changes nothing',
        params: inEnvironment,
        body: ReceiverToCheck,
        response: { 200: ReceiverCheck },
      },
    },
    (request) => deskOf(request).webhooks.checkUrl(request.body.url),
  );
}

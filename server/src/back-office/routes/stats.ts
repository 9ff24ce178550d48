/** What the console's first page shows. Programs can read it too. */
import Type from 'typebox';
import type { EnvironmentName } from '../../config/settings.ts';
import { createStatsReader, type StatsReader } from '../../support/stats/stats.ts';
import type { App, RouteParts } from '../app.ts';
import { inEnvironment, query } from '../schemas/forms.ts';
import { Stats, StatsSpan } from '../schemas/stats.ts';

export function statsRoutes(
  app: App,
  { signIn, environmentOf, environments, tokenStore, partnerSide }: RouteParts,
): void {
  const readers = new Map<EnvironmentName, StatsReader>(
    [...environments].map(([name, environment]) => [
      name,
      createStatsReader(environment, tokenStore, (span) => partnerSide.refusedKeys(name, span)),
    ]),
  );

  app.get(
    '/support/v1/:environment/stats',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['console'],
        operationId: 'getStats',
        summary: 'Show delivery results, backlog, failures, refused keys and recent changes',
        params: inEnvironment,
        querystring: query({ span: Type.Optional(StatsSpan) }),
        response: { 200: Stats },
      },
    },
    (request) => {
      const { name } = environmentOf(request);
      return (readers.get(name) as StatsReader)(request.query.span ?? 'hour');
    },
  );
}

import {
  readKeyHistory,
  readKeyPeaks,
  readPartnerHistory,
} from '../../support/usage-history/history.ts';
import type { App, RouteParts } from '../app.ts';
import { oneKey } from '../schemas/keys.ts';
import { onePartner } from '../schemas/partners.ts';
import { historyQuery, UsageHistory, UsagePeaks } from '../schemas/usage-history.ts';

const ABOUT =
  'Calls are counted in the hour in which they end, and show up here at most about 10 seconds later.';

export function usageHistoryRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  app.get(
    '/support/v1/:environment/keys/:key_id/history',
    {
      onRequest: signIn.reads,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['usage'],
        operationId: 'getKeyHistory',
        summary: 'Show how a key was used, by hour or by day',
        description: ABOUT,
        params: oneKey,
        querystring: historyQuery,
        response: { 200: UsageHistory },
      },
    },
    async (request) => {
      const { params, query } = request;
      return { items: await readKeyHistory(environmentOf(request), params.key_id, query) };
    },
  );

  app.get(
    '/support/v1/:environment/partners/:id/history',
    {
      onRequest: signIn.reads,
      config: { problems: ['partner_not_found'] },
      schema: {
        tags: ['usage'],
        operationId: 'getPartnerHistory',
        summary: "Show how all of a partner's keys were used, by hour or by day",
        description: `${ABOUT} Revoked keys are included.`,
        params: onePartner,
        querystring: historyQuery,
        response: { 200: UsageHistory },
      },
    },
    async (request) => {
      const { params, query } = request;
      return { items: await readPartnerHistory(environmentOf(request), params.id, query) };
    },
  );

  app.get(
    '/support/v1/:environment/keys/:key_id/peaks',
    {
      onRequest: signIn.reads,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['usage'],
        operationId: 'getKeyPeaks',
        summary: "Show the highest use of each of a key's limits in the last 30 days",
        params: oneKey,
        response: { 200: UsagePeaks },
      },
    },
    async (request) => ({
      items: await readKeyPeaks(environmentOf(request), request.params.key_id),
      next_cursor: null,
    }),
  );
}

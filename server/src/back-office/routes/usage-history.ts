import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  readKeyHistory,
  readKeyPeaks,
  readPartnerHistory,
  type ShownUsage,
} from '../../support/usage-history/history.ts';
import type { App, RouteParts } from '../app.ts';
import { wantsCsv } from '../csv.ts';
import { oneKey } from '../schemas/keys.ts';
import { onePartner } from '../schemas/partners.ts';
import { historyQuery, UsageHistory, UsagePeaks } from '../schemas/usage-history.ts';
import { sendCsv, usageCsv } from '../usage-csv.ts';

const ABOUT =
  'Calls are counted in the hour in which they end, and show up here at most about 10 seconds later. With `Accept: text/csv`, the reply is the same as CSV.';

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
    async (request, reply) => {
      const { params, query } = request;
      const items = await readKeyHistory(environmentOf(request), params.key_id, query);
      return answer(request, reply, `usage-${params.key_id}.csv`, items);
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
    async (request, reply) => {
      const { params, query } = request;
      const items = await readPartnerHistory(environmentOf(request), params.id, query);
      return answer(request, reply, `usage-${params.id}.csv`, items);
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

/** Fastify's types know only the JSON of the schema. */
function answer(
  request: Pick<FastifyRequest, 'headers' | 'query'>,
  reply: unknown,
  fileName: string,
  items: ShownUsage[],
) {
  (reply as FastifyReply).header('vary', 'accept');
  if (!wantsCsv(request)) return { items };
  return sendCsv(reply as FastifyReply, fileName, usageCsv(items)) as never;
}

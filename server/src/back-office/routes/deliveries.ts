import { cancelDelivery } from '../../support/deliveries/cancel-delivery.ts';
import { changeDeliveries } from '../../support/deliveries/change-deliveries.ts';
import { countDeliveries } from '../../support/deliveries/count-deliveries.ts';
import { listDeliveryNodes } from '../../support/deliveries/delivery-nodes.ts';
import { fastForwardDelivery } from '../../support/deliveries/fast-forward-delivery.ts';
import { getDelivery } from '../../support/deliveries/get-delivery.ts';
import { listDeliveries } from '../../support/deliveries/list-deliveries.ts';
import { retryDelivery } from '../../support/deliveries/retry-delivery.ts';
import type { App, RouteParts } from '../app.ts';
import {
  BulkChange,
  BulkChanged,
  Cancellation,
  Delivery,
  DeliveryCount,
  DeliveryNodes,
  DeliveryWithAttempts,
  deliveryCountQuery,
  deliveryQuery,
  oneDelivery,
} from '../schemas/deliveries.ts';
import { inEnvironment, pageOfSchema } from '../schemas/forms.ts';
import { actorOf } from '../sign-in.ts';

export function deliveryRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment/deliveries';

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        operationId: 'listDeliveries',
        summary: 'Find deliveries, newest first',
        description:
          'With `partner_order_id_prefix`, in descending order of the order ids instead.',
        params: inEnvironment,
        querystring: deliveryQuery,
        response: { 200: pageOfSchema(Delivery) },
      },
    },
    (request) => listDeliveries(environmentOf(request), request.query),
  );

  app.get(
    `${base}/count`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        operationId: 'countDeliveries',
        summary: 'Count the deliveries that a filter finds',
        description:
          'Exact, up to 1,000,000. Use it before a bulk change. Give `until`, so that events which arrive meanwhile do not change the number.',
        params: inEnvironment,
        querystring: deliveryCountQuery,
        response: { 200: DeliveryCount },
      },
    },
    (request) => countDeliveries(environmentOf(request), request.query),
  );

  app.post(
    `${base}/bulk`,
    {
      onRequest: signIn.changes,
      config: { problems: ['count_changed', 'too_many_deliveries'] },
      schema: {
        tags: ['deliveries'],
        operationId: 'changeDeliveries',
        summary: 'Retry or cancel everything that a filter finds',
        description:
          'Which deliveries these are is decided once; if there are not `expected` of them, nothing changes (409 `count_changed`). They are then changed in batches of 500, the oldest first, each batch in a transaction. A delivery that no longer matches the filter at its turn is left alone. All batches share one audit entry, which names the filter and says how many were changed so far and whether the change is `done`.',
        params: inEnvironment,
        body: BulkChange,
        response: { 200: BulkChanged },
      },
    },
    (request) => changeDeliveries(environmentOf(request), actorOf(request), request.body),
  );

  app.get(
    `${base}/:id`,
    {
      onRequest: signIn.reads,
      config: { problems: ['delivery_not_found'] },
      schema: {
        tags: ['deliveries'],
        operationId: 'getDelivery',
        summary: 'Show a delivery with its attempts',
        params: oneDelivery,
        response: { 200: DeliveryWithAttempts },
      },
    },
    (request) => getDelivery(environmentOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/retry`,
    {
      onRequest: signIn.changes,
      config: { problems: ['delivery_not_found', 'no_midoffice'] },
      schema: {
        tags: ['deliveries'],
        operationId: 'retryDelivery',
        summary: 'Attempt a delivery now; replays a settled one',
        params: oneDelivery,
        response: { 200: Delivery },
      },
    },
    (request) => retryDelivery(environmentOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/cancel`,
    {
      onRequest: signIn.changes,
      config: { problems: ['delivery_not_found', 'delivery_settled'] },
      schema: {
        tags: ['deliveries'],
        operationId: 'cancelDelivery',
        summary: 'Cancel a delivery that is pending or unrouted: no further attempts',
        params: oneDelivery,
        body: Cancellation,
        response: { 200: Delivery },
      },
    },
    (request) =>
      cancelDelivery(environmentOf(request), actorOf(request), request.params.id, request.body),
  );

  app.post(
    `${base}/:id/fast-forward`,
    {
      onRequest: signIn.changes,
      config: {
        problems: ['delivery_not_found', 'sandbox_only', 'delivery_settled', 'changed_meanwhile'],
      },
      schema: {
        tags: ['deliveries'],
        operationId: 'fastForwardDelivery',
        summary: 'Skip the wait before the next attempt; sandbox only',
        description:
          'The attempt counts as a step of the schedule. In production: 409 `sandbox_only`.',
        params: oneDelivery,
        response: { 200: Delivery },
      },
    },
    (request) => fastForwardDelivery(environmentOf(request), actorOf(request), request.params.id),
  );

  app.get(
    '/support/v1/:environment/delivery-nodes',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        operationId: 'listDeliveryNodes',
        summary: 'Show which node delivers for which shards',
        description:
          'Midoffices fall into 64 shards, and each shard is delivered for by one node at a time. When a node stops, the others take over its shards at once; when it dies, within seconds.',
        params: inEnvironment,
        response: { 200: DeliveryNodes },
      },
    },
    (request) => listDeliveryNodes(environmentOf(request)),
  );
}

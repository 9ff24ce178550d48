import Type from 'typebox';
import { cancelDelivery } from '../../support/cancel-delivery.ts';
import { getDelivery, listDeliveries } from '../../support/deliveries.ts';
import { listDeliveryNodes } from '../../support/delivery-nodes.ts';
import { fastForwardDelivery } from '../../support/fast-forward-delivery.ts';
import { retryDelivery } from '../../support/retry-delivery.ts';
import type { App, RouteParts } from '../app.ts';
import {
  Delivery,
  DeliveryNodes,
  DeliveryWithAttempts,
  deliveryQuery,
  environmentParams,
  input,
  pageOfSchema,
} from '../schemas.ts';
import { actorOf } from '../sign-in.ts';

const oneDelivery = Type.Object({ ...environmentParams, id: Type.String() });

export function deliveryRoutes(app: App, { signIn, deskOf }: RouteParts): void {
  const base = '/support/v1/:environment/deliveries';

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        summary: 'Find deliveries, newest first',
        params: Type.Object(environmentParams),
        querystring: input(deliveryQuery),
        response: { 200: pageOfSchema(Delivery) },
      },
    },
    (request) => listDeliveries(deskOf(request), request.query),
  );

  app.get(
    `${base}/:id`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        summary: 'Show a delivery with its attempts',
        params: oneDelivery,
        response: { 200: DeliveryWithAttempts },
      },
    },
    (request) => getDelivery(deskOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/retry`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['deliveries'],
        summary: 'Attempt it now; replays one that is settled',
        params: oneDelivery,
        response: { 200: Delivery },
      },
    },
    (request) => retryDelivery(deskOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/cancel`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['deliveries'],
        summary: 'No further attempts',
        params: oneDelivery,
        response: { 200: Delivery },
      },
    },
    (request) => cancelDelivery(deskOf(request), actorOf(request), request.params.id),
  );

  app.post(
    `${base}/:id/fast-forward`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['deliveries'],
        summary: 'Skip the wait before the next attempt; sandbox only',
        description:
          'The attempt counts as the step of the schedule that it is. In production: 409 `sandbox_only`.',
        params: oneDelivery,
        response: { 200: Delivery },
      },
    },
    (request) => fastForwardDelivery(deskOf(request), actorOf(request), request.params.id),
  );

  app.get(
    '/support/v1/:environment/delivery-nodes',
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['deliveries'],
        summary: 'Which node delivers what',
        description:
          'Midoffices fall into 64 shards, and each shard is delivered for by one node at a time. When a node stops, the others take over its shards at once; when it dies, within seconds.',
        params: Type.Object(environmentParams),
        response: { 200: DeliveryNodes },
      },
    },
    (request) => listDeliveryNodes(deskOf(request)),
  );
}

import { story } from '../examples.ts';
import { pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import { DeliveryNodes, listDeliveryNodes } from './backlog.ts';
import { BulkChange, BulkChanged, changeDeliveries } from './change-deliveries.ts';
import {
  Acknowledgement,
  acknowledgeDelivery,
  Cancellation,
  cancelDelivery,
  fastForwardDelivery,
  retryDelivery,
} from './change-delivery.ts';
import { Delivery, DeliveryWithAttempts, getDelivery } from './deliveries.ts';
import {
  countDeliveries,
  DeliveryCount,
  deliveryCountQuery,
  deliveryQuery,
  filterOf,
  listDeliveries,
} from './list-deliveries.ts';

const ONE = 'deliveries/:id';

export const deliveryRoutes = [
  route(
    'listDeliveries',
    'GET deliveries',
    'Find deliveries, newest first',
    {
      may: 'read',
      query: deliveryQuery,
      reply: pageOfSchema(Delivery, story.deliveryId),
      more: 'With `partner_order_id_prefix`, in descending order of the order ids instead.',
    },
    ({ environment, query }) => listDeliveries(environment, filterOf(query)),
  ),
  route(
    'countDeliveries',
    'GET deliveries/count',
    'Count the deliveries that a filter finds',
    {
      may: 'read',
      query: deliveryCountQuery,
      reply: DeliveryCount,
      more: 'Exact, up to 1,000,000. Use it before a bulk change. Give `until`, so that events which arrive meanwhile do not change the number.',
    },
    ({ environment, query: { up_to, ...filter } }) => countDeliveries(environment, filter, up_to),
  ),
  route(
    'changeDeliveries',
    'POST deliveries/bulk',
    'Retry, cancel or acknowledge everything that a filter finds',
    {
      may: 'change',
      body: BulkChange,
      reply: BulkChanged,
      problems: ['count_changed', 'too_many_deliveries'],
      more: 'Which deliveries these are is decided once; if there are not `expected` of them, nothing changes (409 `count_changed`). They are then changed in batches of 50, the oldest first, each batch in a transaction. A delivery that no longer matches the filter at its turn is left alone. All batches share one audit entry, which names the filter and says how many were changed so far and whether the change is `done`.',
    },
    ({ environment, actor, body }) => changeDeliveries(environment, actor, body),
  ),
  route(
    'getDelivery',
    `GET ${ONE}`,
    'Show a delivery with its attempts',
    { may: 'read', reply: DeliveryWithAttempts, problems: ['delivery_not_found'] },
    ({ environment, params }) => getDelivery(environment, params.id),
  ),
  route(
    'retryDelivery',
    `POST ${ONE}/retry`,
    'Attempt a delivery now; replays a settled one',
    { may: 'change', reply: Delivery, problems: ['delivery_not_found', 'no_midoffice'] },
    ({ environment, actor, params }) => retryDelivery(environment, actor, params.id),
  ),
  route(
    'cancelDelivery',
    `POST ${ONE}/cancel`,
    'Cancel a delivery that is pending or unrouted: no further attempts',
    {
      may: 'change',
      body: Cancellation,
      reply: Delivery,
      problems: ['delivery_not_found', 'delivery_settled'],
    },
    ({ environment, actor, params, body }) => cancelDelivery(environment, actor, params.id, body),
  ),
  route(
    'acknowledgeDelivery',
    `POST ${ONE}/acknowledge`,
    'Acknowledge an exhausted delivery: it needs no recovery',
    {
      may: 'change',
      body: Acknowledgement,
      reply: Delivery,
      problems: ['delivery_not_found', 'delivery_not_exhausted'],
      more: 'It stays `exhausted` and can be sent again, but is no longer counted among those that somebody has to look after.',
    },
    ({ environment, actor, params, body }) =>
      acknowledgeDelivery(environment, actor, params.id, body),
  ),
  route(
    'fastForwardDelivery',
    `POST ${ONE}/fast-forward`,
    'Skip the wait before the next attempt; sandbox only',
    {
      may: 'change',
      reply: Delivery,
      problems: ['delivery_not_found', 'sandbox_only', 'delivery_settled', 'changed_meanwhile'],
      more: 'The attempt counts as a step of the schedule. In production: 409 `sandbox_only`.',
    },
    ({ environment, actor, params }) => fastForwardDelivery(environment, actor, params.id),
  ),
  route(
    'listDeliveryNodes',
    'GET delivery-nodes',
    'Show which node delivers for which shards',
    {
      may: 'read',
      reply: DeliveryNodes,
      more: 'Midoffices fall into 64 shards, and each shard is delivered for by one node at a time. When a node stops, the others take over its shards at once; when it dies, within seconds.',
    },
    ({ environment }) => listDeliveryNodes(environment),
  ),
];

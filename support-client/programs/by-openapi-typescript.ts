/** Compiled by a test against what openapi-typescript generates; never run. */

import type {
  Delivery,
  Environment,
  OrderEvent,
  OrderEventBatch,
  operations,
  paths,
} from './back-office.ts';

type Id = keyof operations;
type Json<Body> = { content: { 'application/json': Body } };
type BodyOf<Of extends Id> = operations[Of] extends { requestBody?: Json<infer Body> }
  ? Body
  : never;
type QueryOf<Of extends Id> = NonNullable<operations[Of]['parameters']['query']>;
/** Undefined where the reply has no body. */
type ReplyOf<Of extends Id> =
  Success<operations[Of]['responses']> extends Json<infer Body> ? Body : undefined;
type Success<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)];

const partner: BodyOf<'createPartner'> = {
  name: 'Acme',
  integration_started_on: '2026-01-31',
  is_new: true,
};
const noOverlap: BodyOf<'rotateKey'> = {};
const query: QueryOf<'listDeliveries'> = { limit: 10, state: 'pending', type: 'created' };
const event: OrderEvent = {
  event_id: 'e1',
  type: 'updated',
  partner_id: 'par_1',
  partner_order_id: 'o1',
};
const batch: OrderEventBatch = { events: [event] };
const reported: BodyOf<'reportOrderEvents'>[] = [event, batch];

export function summary(page: ReplyOf<'listDeliveries'>): string[] {
  return page.items.map(({ state, midoffice_id }: Delivery) =>
    state === 'unrouted' ? 'unrouted' : (midoffice_id ?? ''),
  );
}

type GetKey = paths['/support/v1/{environment}/keys/{key_id}']['get'];
export function mayRetry(
  problem: GetKey['responses'][404]['content']['application/problem+json'],
): boolean {
  const code: 'route_not_found' | 'environment_not_found' | 'key_not_found' = problem.code;
  return code === 'environment_not_found';
}

const deleted: ReplyOf<'deleteToken'> = undefined;
// @ts-expect-error: there is no such environment.
const staging: Environment = 'staging';
// @ts-expect-error: a partner needs a name.
const nameless: BodyOf<'createPartner'> = { integration_started_on: '2026-01-31', is_new: true };
// @ts-expect-error: a limit is a number.
const wordy: QueryOf<'listKeys'> = { limit: '10' };

export { deleted, nameless, noOverlap, partner, query, reported, staging, wordy };

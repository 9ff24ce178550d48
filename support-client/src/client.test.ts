import { expect, test } from 'vitest';
import { createClient, type OperationRequest, requestOf } from './client.ts';

test('a request has its parameters in the path, and only what is given in the query', () => {
  const query = { limit: 2, cursor: undefined, partner_order_id: 'Ä/1 & 2' };
  expect(requestOf('listDeliveries', { environment: 'sandbox', query })).toEqual({
    method: 'GET',
    path: '/support/v1/sandbox/deliveries?limit=2&partner_order_id=%C3%84%2F1+%26+2',
    body: undefined,
  });
  const body = { disabled: true };
  expect(requestOf('updateKey', { environment: 'production', key_id: 'a/b?', body })).toEqual({
    method: 'PATCH',
    path: '/support/v1/production/keys/a%2Fb%3F',
    body,
  });
});

test('a call is exchanged by the caller, and typed by the document', async () => {
  const seen: [OperationRequest, string | undefined][] = [];
  const call = createClient(async (request, options?: string) => {
    seen.push([request, options]);
    return { count: 3 };
  });
  const { count }: { count: number } = await call('countKeys', { environment: 'sandbox' }, 'soon');
  expect(count).toBe(3);
  // @ts-expect-error: this operation takes no body.
  await call('countKeys', { environment: 'sandbox', body: {} });
  // @ts-expect-error: there is no such environment.
  await call('countKeys', { environment: 'staging' });
  // @ts-expect-error: this query has no state.
  await call('countKeys', { environment: 'sandbox', query: { state: 'pending' } });
  const request = { method: 'GET', path: '/support/v1/sandbox/keys/count', body: undefined };
  expect(seen[0]).toEqual([request, 'soon']);
});

import { expect, test } from 'vitest';
import { readSources } from '../../server/testing/imports.ts';
import { auditActions } from './audit-actions.ts';
import { describeChange } from './describe-change.ts';

const names = new Map([
  ['par_1', 'Blue Horizon'],
  ['mid_1', 'Meridian'],
  ['mid_2', 'Nordlys'],
  ['77', 'Blue Horizon (live)'],
  ['del_1', 'order LF-7'],
]);

function said(action: string, subject: string, before: unknown, after: unknown): string {
  return describeChange({ action, subject, before, after }, names).sentence;
}

const hp = {
  endpoint: 'api/b2b/v3/search/hp/',
  is_active: true,
  is_debug_mode: false,
  is_limited: true,
  requests_number: 5,
  seconds_number: 60,
};

test('a limit says which endpoint, whose, and from what to what', () => {
  const raised = { ...hp, requests_number: 20, approval_reference: 'TICKET-1204' };
  expect(said('key.grant', '77', hp, raised)).toBe(
    'raised search/hp/ for Blue Horizon (live) from 5 to 20 a minute, TICKET-1204',
  );
  expect(said('key.grant', '77', raised, hp)).toBe(
    'lowered search/hp/ for Blue Horizon (live) from 20 to 5 a minute',
  );
  expect(said('key.grant', '77', hp, { ...hp, requests_number: 3, seconds_number: 86_400 })).toBe(
    'lowered search/hp/ for Blue Horizon (live) from 5 a minute to 3 a day',
  );
  expect(said('key.grant', '77', hp, { ...hp, is_limited: false })).toBe(
    'raised search/hp/ for Blue Horizon (live) from 5 a minute to without a limit',
  );
  expect(said('key.grant', '77', hp, { ...hp, is_active: false })).toBe(
    'switched search/hp/ off for Blue Horizon (live)',
  );
  expect(said('key.grant', '77', null, { ...hp, seconds_number: 90 })).toBe(
    'granted search/hp/ to Blue Horizon (live), 5 in 90 seconds',
  );
  expect(said('key.withdraw', '77', hp, null)).toBe('withdrew search/hp/ from Blue Horizon (live)');
  expect(said('key.withdraw', '77', hp, { reverts: 'aud_1' })).toBe(
    'undid a change: withdrew search/hp/ from Blue Horizon (live)',
  );
});

test('a request for a limit says for which, and what became of it', () => {
  const { endpoint } = hp;
  const asked = { endpoint, requests_number: 40, seconds_number: 60, reason: 'We grow.' };
  expect(said('limit_request.create', '77', null, asked)).toBe(
    'asked for 40 a minute of search/hp/ for Blue Horizon (live), We grow.',
  );
  expect(said('limit_request.answer', '77', null, { endpoint, granted: true })).toBe(
    'granted another limit of search/hp/ for Blue Horizon (live)',
  );
  expect(said('limit_request.answer', '77', null, { endpoint, granted: false })).toBe(
    'refused another limit of search/hp/ for Blue Horizon (live)',
  );
});

test('a time is in UTC, and a text that looks like one stays as it is', () => {
  const changed = (value: string) =>
    said('key.update', '77', { label: null }, { label: value }).split(' to ')[1];
  expect(changed('2026-01-31T12:00:05.123Z')).toBe('2026-01-31 12:00 UTC');
  expect(changed('2026-01-31T13:00+02:00')).toBe('2026-01-31 11:00 UTC');
  for (const text of ['2026-99-99T12:00Z', '2026-01-31T23:59:60Z', '2026-01-31Tour of Paris']) {
    expect(changed(text)).toBe(`“${text}”`);
  }
});

test('no sentence about a change names a field or a value as the API spells it', async () => {
  const { default: api } = await import('../../docs/openapi/back-office.json');
  type Schema = { $ref?: string; enum?: string[]; properties?: Record<string, Schema> };
  const schemas = api.components.schemas as Record<string, Schema>;
  const resolved = (schema: Schema) => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const fields = Object.values(api.paths).flatMap((operations) => {
    if (!('patch' in operations)) return [];
    const body = operations.patch.requestBody.content['application/json'].schema;
    return Object.entries(resolved(body).properties ?? {});
  });
  expect(fields.length).toBeGreaterThan(15);
  for (const [field, schema] of fields) {
    for (const value of resolved(schema).enum ?? ['x']) {
      const sentence = said('midoffice.update', 'mid_1', {}, { [field]: value });
      expect(sentence).not.toContain('_');
    }
  }
});

test('a changed record says which fields changed, with names instead of ids', () => {
  const was = { id: 'par_1', name: 'Blue', suspended: false, midoffice_id: null };
  expect(said('partner.update', 'par_1', was, { ...was, midoffice_id: 'mid_1' })).toBe(
    'changed the midoffice of Blue Horizon from none to Meridian',
  );
  expect(said('partner.update', 'par_1', was, { ...was, suspended: true, reason: 'Unpaid' })).toBe(
    'suspended Blue Horizon, Unpaid',
  );
  const both = { ...was, name: 'Blue Horizon', midoffice_id: 'mid_2' };
  expect(said('partner.update', 'par_1', was, both)).toBe(
    'changed Blue Horizon: name from Blue to “Blue Horizon”; midoffice from none to Nordlys',
  );
  expect(said('partner.update', 'par_1', was, was)).toBe('saved Blue Horizon without a change');
  expect(said('key.update', '77', { disabled: false }, { disabled: true })).toBe(
    'disabled the key Blue Horizon (live)',
  );
  const allowed = { allowed_ips: ['192.0.2.0/24', '2001:db8::1'] };
  expect(said('key.update', '77', { allowed_ips: null }, allowed)).toBe(
    'changed the allowed addresses of the key Blue Horizon (live) from none to 192.0.2.0/24, 2001:db8::1',
  );
});

test('changes of many say how many, and which', () => {
  const filter = { midoffice_id: 'mid_1', only: 'unacknowledged', until: '2026-01-31T12:00:00Z' };
  const after = { filter, changed: 1_179, reason: 'Told by phone', done: true };
  expect(said('deliveries.acknowledge', 'deliveries', null, after)).toBe(
    'acknowledged 1,179 deliveries (midoffice Meridian, only unacknowledged), Told by phone',
  );
  const some = { filter: { ids: ['del_1'], selected: 3 }, changed: 2, done: false };
  expect(said('deliveries.retry', 'deliveries', null, some)).toBe(
    'sent 2 deliveries again (3 selected), not finished',
  );
  expect(said('midoffice.recover', 'mid_1', null, { requeued: 179, done: true })).toBe(
    'sent 179 deliveries of Meridian again',
  );
});

test('a sign-in to the portal says how, and from where', () => {
  const opened = (after: object) => said('portal_session.open', 'par_1', null, after);
  expect(opened({ came_by: 'link', address: '192.0.2.7' })).toBe(
    'opened the portal of Blue Horizon with a link, from 192.0.2.7',
  );
  expect(opened({ came_by: 'key', key_id: '77', address: '192.0.2.7' })).toBe(
    'opened the portal of Blue Horizon with key 77, from 192.0.2.7',
  );
});

test('changes of many name the first orders', () => {
  const orders = ['1001', '1002', '1003'];
  expect(said('midoffice.recover', 'mid_1', null, { requeued: 1_203, orders })).toBe(
    'sent 1,203 deliveries of Meridian again: orders 1001, 1002, 1003 and 1,200 more',
  );
  expect(said('partner.recover', 'par_1', null, { requeued: 1, orders: ['1001'] })).toBe(
    'sent 1 delivery of Blue Horizon again: order 1001',
  );
  const all = { filter: { state: 'pending' }, expected: 4, changed: 4, orders, done: true };
  expect(said('deliveries.cancel', 'deliveries', null, all)).toBe(
    'cancelled 4 deliveries (state pending): orders 1001, 1002, 1003 and 1 more',
  );
  expect(said('deliveries.cancel', 'deliveries', null, { ...all, changed: 3 })).toBe(
    'cancelled 3 deliveries (state pending)',
  );
});

test('what is gone, and what a newer release did, is said by what the entry has', () => {
  expect(said('delivery.retry', 'del_1', null, null)).toBe('sent order LF-7 again');
  expect(said('token.delete', 'tok_1', { name: 'Ann' }, null)).toBe('deleted the token Ann');
  expect(said('partner.merge', 'par_9', null, null)).toBe('partner.merge par_9');
});

test('every action that the server records has words', () => {
  const recorded = [...readSources().values()].flatMap((source) =>
    [...source.matchAll(/(?:audit\(|action: |ACTION = )\s*'([a-z_]+\.[a-z_]+)'/g)].map(
      ([, action = '']) => action,
    ),
  );
  expect(recorded.filter((action) => !Object.keys(auditActions).includes(action))).toEqual([]);
  expect(recorded.length).toBeGreaterThan(20);
});

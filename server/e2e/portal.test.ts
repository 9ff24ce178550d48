/** What people at a partner see and do in the portal, through its listener. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { type Running, start } from '../src/main/main.ts';
import {
  type Addresses,
  settingsForTest,
  spawnBellhop,
  type TestBellhop,
  withHelpers,
} from '../testing/bellhop.ts';
import { type PortalBrowser, signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const NOBODY = 'http://127.0.0.1:9/hook';
const SUPPORT = '/support/v1/production';

interface Person extends PortalBrowser {
  partnerId: string;
  keyId: string;
  midofficeId: string;
  /** Accepts an event of an order; its delivery id, as support has it. */
  order(id: string): Promise<string>;
  /** The id that the portal has for the delivery of an order. */
  idOf(orderId: string): Promise<string>;
}

/** Somebody at a new partner, signed in with all scopes. `sharing`: the midoffice of another. */
async function newPerson(
  bellhop: TestBellhop,
  { url = NOBODY, sharing }: { url?: string; sharing?: string } = {},
): Promise<Person> {
  const { keyId, partnerId } = await bellhop.newKey('production');
  const midoffice = { name: 'Test midoffice', url, signing_key_id: keyId };
  const midofficeId =
    sharing ?? (await bellhop.support('POST', `${SUPPORT}/midoffices`, midoffice)).body.id;
  const assigned = { midoffice_id: midofficeId };
  await bellhop.support('PATCH', `${SUPPORT}/partners/${partnerId}`, assigned);
  const browser = await signedInBrowser(bellhop, 'production', partnerId);
  return {
    ...browser,
    partnerId,
    keyId,
    midofficeId,
    async order(id) {
      const event = { event_id: `${partnerId} ${id}`, type: 'created', partner_order_id: id };
      const sent = { ...event, partner_id: partnerId };
      const { body } = await bellhop.support('POST', '/orders/v1/production/events', sent);
      return body.results[0].delivery_id;
    },
    async idOf(orderId) {
      const query = `partner_order_id=${encodeURIComponent(orderId)}`;
      return (await browser.get(`deliveries?${query}`)).body.items[0].id;
    },
  };
}

function portal(settings: () => Promise<Record<string, string>>): void {
  let running: Running;
  let bellhop: TestBellhop;
  beforeAll(async () => {
    const given = {
      ...LOOPBACK_RECEIVERS,
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_ROLES: 'back-office,portal',
    };
    running = await start(await settingsForTest({ ...given, ...(await settings()) }), () => {});
    bellhop = withHelpers(running.addresses as unknown as Addresses, running.stop);
  });
  afterAll(() => running?.stop());

  test('a key shows its limits as the overview does, and how much is used', async () => {
    const { keyId, get } = await newPerson(bellhop);
    const { body: grants } = await bellhop.support('GET', `${SUPPORT}/keys/${keyId}/endpoints`);
    const { body } = await get(`keys/${keyId}/limits`);
    expect(body.items).toHaveLength(43);
    expect(body.items[0]).toEqual({
      ...grants.items[0],
      used: 0,
      remaining: grants.items[0].requests_number,
      resets_at: null,
    });
    const { body: key } = await get(`keys/${keyId}`);
    expect(key).toMatchObject({ key_id: keyId, last_used_at: null, allowed_ips: null });
    expect(JSON.stringify(key)).not.toMatch(/sealed|digest|api_key/);
    expect((await get('keys')).body).toEqual({ items: [key], next_cursor: null });
  });

  test('a key is rotated, named and limited to addresses, one’s own included or asked twice', async () => {
    const { keyId, send } = await newPerson(bellhop);
    const rotated = await send('POST', `keys/${keyId}/rotation`, {});
    expect(rotated.body).toMatchObject({
      api_key: expect.any(String),
      overlap_ends: [expect.any(String)],
    });
    const patch = (body: object) => send('PATCH', `keys/${keyId}`, body);
    expect((await patch({ label: 'Web shop' })).body.label).toBe('Web shop');
    const elsewhere = { allowed_ips: ['203.0.113.0/24'] };
    expect(await patch(elsewhere)).toMatchObject({
      status: 409,
      body: { code: 'own_address_excluded' },
    });
    const both = ['203.0.113.0/24', '127.0.0.0/8'];
    expect((await patch({ allowed_ips: both })).body.allowed_ips).toEqual(both);
    const meant = await patch({ ...elsewhere, exclude_own_address: true });
    expect(meant.body.allowed_ips).toEqual(elsewhere.allowed_ips);
    expect((await patch({ allowed_ips: null })).body.allowed_ips).toBeNull();
    expect((await patch({ disabled: true })).status).toBe(422);
    await bellhop.support('DELETE', `${SUPPORT}/keys/${keyId}`);
    expect(await patch({ label: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'key_revoked' },
    });
  });

  test('a body that is not JSON is refused, and not taken for an empty one', async () => {
    const { keyId, get, send } = await newPerson(bellhop);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const rotation = `keys/${keyId}/rotation`;
    for (const path of [rotation, 'midoffice/send-pending', 'session']) {
      const reply = await send('POST', path, { overlap_seconds: 0 }, form);
      expect(reply, path).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
    expect((await get(`keys/${keyId}`)).body.overlap_ends).toEqual([]);
  });

  test('the receiver moves when its new URL has answered, and is tested and checked', async () => {
    const { get, send } = await newPerson(bellhop);
    expect((await get('midoffice')).body).toMatchObject({
      url: NOBODY,
      is_shared: false,
      pending: 0,
      url_change: null,
    });
    const receiver = await startReceiver(status(503));
    const failed = await send('PATCH', 'midoffice', { url: receiver.url });
    expect(failed).toMatchObject({ status: 422, body: { code: 'receiver_test_failed' } });
    expect((await get('midoffice')).body).toMatchObject({
      url: NOBODY,
      url_change: { url: receiver.url, failure: failed.body.detail },
    });
    receiver.answer = status(200);
    const moved = await send('PATCH', 'midoffice', { url: receiver.url, body_form: 'flat' });
    expect(moved.body).toMatchObject({ url: receiver.url, body_form: 'flat', url_change: null });
    const sent = await send('POST', 'midoffice/test-event');
    expect(sent.body).toMatchObject({ outcome: 'delivered', status_code: 200 });
    expect((await get('midoffice')).body.last_test).toMatchObject({ outcome: 'delivered' });
    expect(JSON.stringify(moved.body)).not.toContain('headers');
    await receiver.close();
    const { body } = await send('POST', 'midoffice/receiver-check', {});
    expect(body).toMatchObject({ verdict: 'failed', url: receiver.url });
  });

  test('a URL that may not be called is refused without the names of settings', async () => {
    const { send } = await newPerson(bellhop);
    for (const url of ['http://10.0.0.1/', 'https://10.0.0.1/', 'http://192.0.2.1/']) {
      const { status, body } = await send('PATCH', 'midoffice', { url });
      expect([status, body.code]).toEqual([422, 'receiver_refused']);
      expect(body.detail).toContain('the operator');
      expect(JSON.stringify(body)).not.toContain('BELLHOP_');
    }
    const elsewhere = { origin: 'https://elsewhere.example' };
    const { body } = await send('PATCH', 'midoffice', { url: NOBODY }, elsewhere);
    expect(body.code).toBe('csrf');
    expect(JSON.stringify(body)).not.toContain('BELLHOP_');
  });

  test('a partner without a midoffice has none to show', async () => {
    const { partnerId } = await bellhop.newKey('production');
    const { get, send } = await signedInBrowser(bellhop, 'production', partnerId);
    for (const reply of [await get('midoffice'), await send('POST', 'midoffice/test-event')]) {
      expect(reply).toMatchObject({ status: 404, body: { code: 'midoffice_not_found' } });
    }
  });

  test('of a midoffice that others share, one sees no more, and sends nothing to it', async () => {
    const one = await newPerson(bellhop);
    const other = await newPerson(bellhop, { sharing: one.midofficeId });
    const id = await one.order('a');
    expect((await one.get('midoffice')).body).toMatchObject({
      url: NOBODY,
      is_shared: true,
      is_own: false,
      pending: null,
      waiting: null,
    });
    expect((await one.get('home')).body.midoffice).toEqual((await one.get('midoffice')).body);
    // The key of one of them signs for both.
    expect((await one.get('midoffice')).body.signing_key_id).toBe(one.keyId);
    expect((await other.get('midoffice')).body.signing_key_id).toBeNull();
    await bellhop.support('POST', `${SUPPORT}/deliveries/${id}/cancel`);
    const since = '2026-01-01T00:00:00Z';
    const tries: [method: string, path: string, body?: object][] = [
      ['PATCH', 'midoffice', { body_form: 'flat' }],
      ['PATCH', 'midoffice', { url: NOBODY }],
      ['POST', 'midoffice/test-event'],
      ['POST', 'midoffice/receiver-check', {}],
      ['POST', 'midoffice/recovery', { since }],
      ['POST', 'midoffice/send-pending'],
      ['POST', `deliveries/${await one.idOf('a')}/retry`],
    ];
    for (const by of [one, other]) {
      for (const [method, path, body] of tries) {
        const reply = await by.send(method, path, body);
        const isForeign = by === other && path.startsWith('deliveries');
        expect(reply.body.code, path).toBe(isForeign ? 'delivery_not_found' : 'midoffice_not_own');
      }
    }
    const { body } = await bellhop.support('GET', `${SUPPORT}/deliveries/${id}`);
    expect(body.state).toBe('cancelled');
  });

  test('what was cancelled is counted, compared with what was expected, and sent again', async () => {
    const { order, send } = await newPerson(bellhop);
    const since = '2026-01-01T00:00:00Z';
    const recover = (body: object) => send('POST', 'midoffice/recovery', { since, ...body });
    for (const id of [await order('a'), await order('b')]) {
      await bellhop.support('POST', `${SUPPORT}/deliveries/${id}/cancel`);
    }
    expect((await recover({ dry_run: true })).body).toEqual({ requeued: 2 });
    expect(await recover({ expected: 3 })).toMatchObject({
      status: 409,
      body: { code: 'count_changed' },
    });
    expect((await recover({ expected: 2 })).body).toEqual({ requeued: 2 });
    // Nobody delivers here, so they are due already.
    expect((await send('POST', 'midoffice/send-pending')).body).toEqual({ sent: 0 });
  });

  test('what a recovery would send is counted thirty times a minute', async () => {
    const { send } = await newPerson(bellhop);
    const count = () =>
      send('POST', 'midoffice/recovery', { since: '2026-01-01T00:00:00Z', dry_run: true });
    const counts = await Promise.all(Array.from({ length: 31 }, count));
    expect(counts.filter((reply) => reply.status === 200)).toHaveLength(30);
    expect(counts.filter((reply) => reply.status === 429)).toHaveLength(1);
    expect((await send('POST', 'midoffice/send-pending')).status).toBe(200);
  });

  test('a recovery that is refused is none of the ten a minute', async () => {
    const { send } = await newPerson(bellhop);
    const since = '2026-01-01T00:00:00Z';
    const recover = (body: object) => send('POST', 'midoffice/recovery', { since, ...body });
    const codesOf = async (replies: Promise<{ status: number; body: { code?: string } }>[]) =>
      (await Promise.all(replies)).map(({ status, body }) => body.code ?? status);
    const eleven = (body: object) => codesOf(Array.from({ length: 11 }, () => recover(body)));
    expect(new Set(await eleven({ until: '2025-01-01T00:00:00Z' }))).toEqual(
      new Set(['validation_failed']),
    );
    expect(new Set(await eleven({ expected: 1 }))).toEqual(new Set(['count_changed']));
    const sent = await eleven({});
    expect(sent.filter((one) => one === 200)).toHaveLength(10);
    expect(sent.filter((one) => one === 'too_many_portal_calls')).toHaveLength(1);
    // Comparing costs as much as counting, so it is counted as that.
    const compared = [...(await eleven({ expected: 1 })), ...(await eleven({ expected: 1 }))];
    expect(compared.filter((one) => one === 'count_changed')).toHaveLength(19);
    expect(compared.filter((one) => one === 'too_many_portal_calls')).toHaveLength(3);
  });

  test('webhooks are found, shown with their attempts and sent again, ten times a minute', async () => {
    const { order, idOf, get, send } = await newPerson(bellhop);
    await order('order 7');
    const id = await idOf('order 7');
    const { body } = await get('deliveries?partner_order_id=order%207');
    expect(body.items).toEqual([expect.objectContaining({ id, state: 'pending' })]);
    expect((await get('deliveries?state=exhausted')).body.items).toEqual([]);
    expect((await get('deliveries?partner_id=par_1')).status).toBe(422);
    expect((await get(`deliveries/${id}`)).body).toMatchObject({ id, attempts: [] });
    const retry = () => send('POST', `deliveries/${id}/retry`);
    const replies = await Promise.all(Array.from({ length: 12 }, retry));
    const held = replies.filter((reply) => reply.status === 429);
    expect(held).toHaveLength(2);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(10);
    expect(held[0]?.body.code).toBe('too_many_portal_calls');
    const seconds = Number(held[0]?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await send('POST', 'midoffice/send-pending')).status).toBe(429);
    expect((await send('POST', 'midoffice/test-event')).status).toBe(200);
  });

  test('ids of webhooks do not count them, wherever they are', async () => {
    const { order, get, send } = await newPerson(bellhop);
    const supports = [await order('id 1'), await order('id 2'), await order('id 3')];
    const own: string[] = [];
    for (const query of ['', 'partner_order_id_prefix=id&']) {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await get(`deliveries?${query}limit=1${at}`);
        pages.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
        expect(cursor ?? '').toMatch(/^(del_[0-9a-f]{32}(\.[\w-]+)?)?$/);
      }
      own.push(...pages);
    }
    const [third = '', second = '', first = ''] = own;
    expect(own).toEqual([third, second, first, third, second, first]);
    expect(new Set(own).size).toBe(3);
    const replies = [
      await get(`deliveries/${first}`),
      await send('POST', `deliveries/${first}/retry`),
      await get('home'),
      await get('deliveries'),
      await get('activity'),
    ];
    const [shown, retried, , , activity] = replies;
    expect([shown?.body.id, retried?.body.id]).toEqual([first, first]);
    expect(shown?.body.partner_order_id).toBe('id 1');
    expect(activity?.body.items[0]).toMatchObject({ action: 'delivery.retry', subject: first });
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      for (const id of supports) expect(JSON.stringify(body)).not.toContain(`${id}"`);
      expect(JSON.stringify(body)).not.toMatch(/del_\d{1,15}\b/);
    }
    // What the portal had before, another's form of the id, and one that nobody was given.
    for (const id of [supports[0], first.toUpperCase(), `del_${'0'.repeat(32)}`, 'del_']) {
      expect((await get(`deliveries/${id}`)).body.code).toBe('delivery_not_found');
    }
    for (const cursor of [supports[0], `del_${'0'.repeat(32)}`]) {
      expect((await get(`deliveries?cursor=${cursor}`)).status).toBe(422);
    }
    // A partner quotes the id that it sees.
    const { body } = await bellhop.support('GET', `${SUPPORT}/search?q=${first}`);
    expect(body.items).toMatchObject([{ kind: 'delivery', id: supports[0], title: 'id 1' }]);
  });

  test('keys are rotated ten times a minute, because each rotation is mailed to all contacts', async () => {
    const { keyId, send } = await newPerson(bellhop);
    const rotate = () => send('POST', `keys/${keyId}/rotation`, { overlap_seconds: 0 });
    const replies = await Promise.all(Array.from({ length: 12 }, rotate));
    const codes = replies.flatMap(({ status, body }) => (status === 429 ? [body.code] : []));
    expect(codes).toEqual(['too_many_portal_calls', 'too_many_portal_calls']);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  });

  test('labels, allow-lists, settings and contacts are changed 30 times a minute by a session, 60 by a partner', async () => {
    const { partnerId, keyId, send } = await newPerson(bellhop);
    const changes: [method: string, path: string, body: object][] = [
      ['PATCH', `keys/${keyId}`, { label: 'Web shop' }],
      ['PATCH', `keys/${keyId}`, { allowed_ips: null }],
      ['PATCH', 'midoffice', { body_form: 'flat' }],
      ['PUT', 'contacts', { contacts: [] }],
    ];
    const change = (by: PortalBrowser['send'], times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, n) => {
          const [method = '', path = '', body] = changes[n % changes.length] ?? [];
          return by(method, path, body);
        }),
      );
    const held = (replies: Awaited<ReturnType<typeof change>>) =>
      replies.filter(({ status }) => status === 429);
    const [refused, ...more] = held(await change(send, 31));
    expect(more).toEqual([]);
    expect(refused?.body.code).toBe('too_many_portal_calls');
    expect(refused?.body.detail).toContain('30 times a minute');
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const second = await signedInBrowser(bellhop, 'production', partnerId);
    expect(held(await change(second.send, 29))).toEqual([]);
    const third = await signedInBrowser(bellhop, 'production', partnerId);
    const [ofPartner, ...others] = held(await change(third.send, 2));
    expect(others).toEqual([]);
    expect(ofPartner?.body.detail).toContain('60 times a minute');
    // What has a pace of its own has it still, and reading has none.
    expect((await send('POST', `keys/${keyId}/rotation`, {})).status).toBe(200);
    expect((await send('GET', 'contacts')).status).toBe(200);
    expect(
      (await (await newPerson(bellhop)).send('PUT', 'contacts', { contacts: [] })).status,
    ).toBe(200);
  });

  test('an entry of the audit has at most 4 KiB, whatever the record holds', async () => {
    const { keyId, get, send } = await newPerson(bellhop);
    const list = (from: number) =>
      Array.from({ length: 999 }, (_, n) => `2001:db8::${(from + n).toString(16)}/128`);
    const allowed_ips = ['127.0.0.0/8', ...list(0)];
    expect((await send('PATCH', `keys/${keyId}`, { allowed_ips })).status).toBe(200);
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    const another = ['127.0.0.0/8', ...list(1)];
    const { body: shown } = await send('PATCH', `keys/${keyId}`, { allowed_ips: another });
    expect(shown.allowed_ips).toEqual(another);
    const { body } = await bellhop.support('GET', `${SUPPORT}/audit?subject=${keyId}&limit=3`);
    const [moved, labelled, added] = body.items;
    for (const { before, after } of body.items) {
      expect(JSON.stringify(before).length + JSON.stringify(after).length).toBeLessThan(4_096);
      expect(after.left_out).toEqual({ allowed_ips: expect.any(Number) });
      expect(after.portal_session).toMatch(/^pse_/);
    }
    expect([moved, labelled, added].map(({ can_revert }) => can_revert)).toEqual([
      false,
      true,
      false,
    ]);
    expect(moved.before.allowed_ips).toEqual(['2001:db8::0/128']);
    expect(moved.after.allowed_ips).toEqual(['2001:db8::3e7/128']);
    const reverted = await bellhop.support('POST', `${SUPPORT}/audit/${moved.id}/revert`, {});
    expect(reverted.body.code).toBe('not_revertible');
    expect((await get(`keys/${keyId}`)).body.allowed_ips).toEqual(another);
    const [first] = (await get('activity?limit=1')).body.items;
    expect(first.sentence).toMatch(/^changed the allowed addresses of .* from 2001:db8::0/);
  });

  test('activity says what support and the partner did, and nothing that is for support alone', async () => {
    const { partnerId, keyId, midofficeId, order, idOf, get, send } = await newPerson(bellhop);
    await order('order 8');
    const id = await idOf('order 8');
    const at = `${SUPPORT}/partners/${partnerId}`;
    await bellhop.support('POST', `${at}/notes`, { text: 'calls a lot' });
    await bellhop.support('POST', `${at}/certification`, { reference: 'secret-reference' });
    await bellhop.support('PATCH', `${SUPPORT}/midoffices/${midofficeId}`, {
      headers: { 'X-Gateway': 'hunter2' },
      paused: true,
    });
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    await send('POST', `deliveries/${id}/retry`);
    // What they did before is still theirs.
    await bellhop.support('PATCH', at, { name: 'Renamed' });
    const { body } = await get('activity');
    const lines = body.items.map((one: Record<string, string>) => `${one.by} ${one.action}`);
    expect(lines.slice(1, 3).sort()).toEqual(['partner delivery.retry', 'partner key.update']);
    expect(lines).toContain('support midoffice.update');
    expect(lines).toContain('support portal_link.create');
    expect(lines).toContain('partner portal_session.open');
    const [named] = body.items.filter((one: { action: string }) => one.action === 'key.update');
    expect(named).toMatchObject({ before: { label: null }, after: { label: 'Web shop' } });
    const sentences = body.items.map((one: { sentence: string }) => one.sentence);
    expect(sentences).toContain('changed the name of Renamed from “Test partner” to Renamed');
    expect(sentences).toContain('sent order order 8 again');
    expect(sentences).toContain(
      'changed the label of the key Renamed (Web shop) from none to “Web shop”',
    );
    const text = JSON.stringify(body);
    for (const hidden of [
      'calls a lot',
      'secret-reference',
      'X-Gateway',
      'hunter2',
      'admin',
      'pse_x',
    ]) {
      expect(text).not.toContain(hidden);
    }
    const pages = [];
    for (let next = 'activity?limit=2'; next !== ''; ) {
      const page = (await get(next)).body;
      pages.push(...page.items);
      next = page.next_cursor === null ? '' : `activity?limit=2&cursor=${page.next_cursor}`;
    }
    expect(pages).toEqual((await get('activity?limit=200')).body.items);
  });

  test('activity has what support did to one’s webhooks, and no count of those of others', async () => {
    const one = await newPerson(bellhop);
    const other = await newPerson(bellhop, { sharing: one.midofficeId });
    const [a, b] = [await one.order('a'), await one.order('b')];
    const c = await other.order('c');
    await bellhop.support('POST', `${SUPPORT}/deliveries/${a}/retry`);
    await bellhop.support('POST', `${SUPPORT}/deliveries/${c}/retry`);
    await bellhop.support('POST', `${SUPPORT}/deliveries/${a}/cancel`, { reason: 'hush' });
    const bulk = { action: 'cancel', filter: { ids: [a, b, c] }, expected: 3, reason: 'hush' };
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, bulk);
    const again = { ...bulk, action: 'retry' };
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, again);
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, bulk);
    const since = '2026-01-01T00:00:00Z';
    await bellhop.support('POST', `${SUPPORT}/midoffices/${one.midofficeId}/recovery`, { since });
    const told = async ({ get }: Person) => {
      const { body } = await get('activity');
      const ofDeliveries = body.items.filter(({ action }: { action: string }) =>
        /^deliver|recover$/.test(action),
      );
      return { text: JSON.stringify(ofDeliveries), ofDeliveries };
    };
    const saidTo = async (person: Person) =>
      (await told(person)).ofDeliveries.map((entry: Record<string, string>) => [
        entry.by,
        entry.sentence,
      ]);
    expect(await saidTo(one)).toEqual([
      ['support', 'sent 2 deliveries of Test midoffice again'],
      ['support', 'cancelled 2 deliveries'],
      ['support', 'sent 2 deliveries again'],
      // The other one was cancelled already.
      ['support', 'cancelled 1 delivery'],
      ['support', 'cancelled the delivery of order a'],
      ['support', 'sent order a again'],
    ]);
    expect(await saidTo(other)).toEqual([
      ['support', 'sent 1 delivery of Test midoffice again'],
      ['support', 'cancelled 1 delivery'],
      ['support', 'sent 1 delivery again'],
      ['support', 'cancelled 1 delivery'],
      ['support', 'sent order c again'],
    ]);
    for (const hidden of ['hush', b, c, other.partnerId, 'admin']) {
      expect((await told(one)).text).not.toContain(hidden);
    }
    const { ofDeliveries } = await told(other);
    expect(ofDeliveries[1]).toMatchObject({ before: null, after: { changed: 1, done: true } });
  });

  test('activity names another midoffice, and tells a change that is support’s from a save without one', async () => {
    const { partnerId, midofficeId, keyId, get } = await newPerson(bellhop);
    const patch = (path: string, body: object) =>
      bellhop.support('PATCH', `${SUPPORT}/${path}`, body);
    const newest = async () => (await get('activity?limit=1')).body.items[0];
    await patch(`partners/${partnerId}`, { midoffice_id: midofficeId });
    expect((await newest()).sentence).toBe('saved Test partner without a change');
    await patch(`midoffices/${midofficeId}`, { max_in_flight: 7 });
    expect((await newest()).sentence).toBe('changed Test midoffice');
    await patch(`midoffices/${midofficeId}`, { headers: { 'X-Gateway': 'one' } });
    await patch(`midoffices/${midofficeId}`, { headers: { 'X-Gateway': 'two' } });
    expect((await newest()).sentence).toBe('changed Test midoffice');
    const second = { name: 'Second', url: NOBODY, signing_key_id: keyId };
    const { body: created } = await bellhop.support('POST', `${SUPPORT}/midoffices`, second);
    await patch(`partners/${partnerId}`, { midoffice_id: created.id });
    expect(await newest()).toMatchObject({
      sentence: 'changed the midoffice of Test partner from Test midoffice to Second',
      before: { midoffice_id: midofficeId },
      after: { midoffice_id: created.id },
    });
  });

  test('support’s audit names the partner and the session of each change', async () => {
    const { partnerId, keyId, send } = await newPerson(bellhop);
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    const { body } = await bellhop.support('GET', `${SUPPORT}/audit?subject=${keyId}&limit=1`);
    const { body: sessions } = await bellhop.support(
      'GET',
      `${SUPPORT}/partners/${partnerId}/portal-sessions`,
    );
    expect(body.items[0]).toMatchObject({
      action: 'key.update',
      actor: `Test partner (portal ${partnerId})`,
      after: { label: 'Web shop', portal_session: sessions.items[0].id },
    });
    // Found by the partner's name of today, in any case, and by the whole actor.
    await bellhop.support('PATCH', `${SUPPORT}/partners/${partnerId}`, { name: 'Lune d’Été' });
    for (const actor of ['lune d’Été', body.items[0].actor]) {
      const query = `actor=${encodeURIComponent(actor)}&subject=${keyId}`;
      const { body: found } = await bellhop.support('GET', `${SUPPORT}/audit?${query}`);
      expect(found.items).toMatchObject([{ id: body.items[0].id }]);
      const { body: counted } = await bellhop.support('GET', `${SUPPORT}/audit/count?${query}`);
      expect(counted.count).toBe(1);
    }
  });
}

const onPostgres = async (databaseWithTables: () => Promise<string>) => ({
  BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
  BELLHOP_MASTER_KEY: newMasterKey(),
});

describe('the portal, embedded', () => portal(async () => ({})));
describeWithPostgres('the portal, on PostgreSQL', (_empty, databaseWithTables) =>
  portal(() => onPostgres(databaseWithTables)),
);

describe('beside a partner API', () => {
  const bellhop = sharedBellhop();

  test('attempts name the key that signed them only to its own partner', async () => {
    const receiver = await startReceiver(status(200));
    onTestFinished(() => receiver.close());
    const [one, other] = [await bellhop.newKey('sandbox'), await bellhop.newKey('sandbox')];
    const at = '/support/v1/sandbox';
    const midoffice = { name: 'Shared', url: receiver.url, signing_key_id: one.keyId };
    const { body: created } = await bellhop.support('POST', `${at}/midoffices`, midoffice);
    const signedAs: unknown[] = [];
    for (const { partnerId } of [one, other]) {
      const assigned = { midoffice_id: created.id };
      await bellhop.support('PATCH', `${at}/partners/${partnerId}`, assigned);
      const event = { event_id: partnerId, type: 'created', partner_order_id: '1' };
      const sent = { ...event, partner_id: partnerId };
      await bellhop.support('POST', '/orders/v1/sandbox/events', sent);
      const { get } = await signedInBrowser(bellhop, 'sandbox', partnerId);
      const attempts = async () =>
        (await get(`deliveries/${(await get('deliveries')).body.items[0].id}`)).body.attempts;
      await expect.poll(attempts, { timeout: 20_000 }).toHaveLength(1);
      const [{ outcome, key_id, key_fingerprint }] = await attempts();
      signedAs.push({ outcome, key_id, key_fingerprint });
    }
    expect(signedAs).toEqual([
      { outcome: 'delivered', key_id: one.keyId, key_fingerprint: expect.any(String) },
      { outcome: 'delivered', key_id: null, key_fingerprint: null },
    ]);
  });

  test('limits are those that are enforced, and refused calls are explained', async () => {
    const key = await bellhop.newKey('sandbox', { endpoints: ['api/b2b/v3/overview/'] });
    const stranger = await bellhop.newKey('sandbox');
    const browser = await signedInBrowser(bellhop, 'sandbox', key.partnerId);
    const call = (path: string, authorization = key.authorization) =>
      fetch(`${bellhop.addresses.sandbox}/api/b2b/v3/${path}`, { headers: { authorization } });
    expect((await call('overview/')).status).toBe(200);
    const refused = await call('search/hp/');
    expect(refused.status).toBe(403);
    await call('nowhere/', stranger.authorization);
    const { body } = await browser.get(`keys/${key.keyId}/limits`);
    expect(body.items).toMatchObject([{ used: 1, remaining: 99, resets_at: expect.any(String) }]);
    const again = await browser.get(`keys/${key.keyId}/limits`);
    expect(again.body.items).toMatchObject([{ used: 1 }]);
    const { body: home } = await browser.get('home');
    const { resets_at, ...limit } = body.items[0];
    expect(home.keys).toMatchObject([{ limits_in_use: [limit] }]);
    const listed = await expect
      .poll(async () => (await browser.get('refusals')).body.items, {
        timeout: 20_000,
        interval: 250,
      })
      .toHaveLength(1)
      .then(() => browser.get(`refusals?key_id=${key.keyId}&code=endpoint_not_found`));
    expect(listed.body.items).toEqual([
      expect.objectContaining({
        request_id: refused.headers.get('x-request-id'),
        code: 'endpoint_not_found',
        status: 403,
        endpoint: 'api/b2b/v3/search/hp/',
        advice: expect.stringContaining('overview'),
      }),
    ]);
    expect(listed.body.items[0]).not.toHaveProperty('upstream_status');
  });
});

function killed(settings: () => Promise<Record<string, string>>): void {
  test('a process that is killed while it tests a new URL leaves the old one', async () => {
    const given = {
      ...LOOPBACK_RECEIVERS,
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_ROLES: 'back-office,portal',
      ...(await settings()),
    };
    const wanted = await settingsForTest(given);
    const first = await spawnBellhop(wanted);
    const person = await newPerson(first);
    const receiver = await startReceiver(hang);
    onTestFinished(() => receiver.close());
    const changing = person
      .send('PATCH', 'midoffice', { url: receiver.url })
      .catch(() => undefined);
    await receiver.came(1);
    await first.kill();
    await changing;
    const second = await spawnBellhop(wanted);
    const again = await signedInBrowser(second, 'production', person.partnerId);
    expect((await again.get('midoffice')).body).toMatchObject({
      url: NOBODY,
      url_change: { url: receiver.url, tested_at: null, failure: null },
    });
    receiver.answerAll(status(200));
    const { body } = await again.send('PATCH', 'midoffice', { url: receiver.url });
    expect(body).toMatchObject({ url: receiver.url, url_change: null });
  });
}

describe('killed, embedded', () => killed(async () => ({})));
describeWithPostgres('killed, on PostgreSQL', (_empty, databaseWithTables) =>
  killed(() => onPostgres(databaseWithTables)),
);

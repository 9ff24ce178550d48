import { describe, expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine, PRODUCTION_ONLY, sharedBackOffice } from '../testing/engines.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';

const BASE = '/support/v1/production';
const SETTINGS = { ...PRODUCTION_ONLY, ...LOOPBACK_RECEIVERS };

/** One record of each kind that can have notes; the path of each. */
async function createRecords(bellhop: TestBellhop): Promise<string[]> {
  const { keyId, partnerId } = await bellhop.newKey('production');
  const midoffice = await bellhop.support('POST', `${BASE}/midoffices`, {
    name: 'One',
    url: 'http://127.0.0.1:9/',
    signing_key_id: keyId,
  });
  await bellhop.support('PATCH', `${BASE}/midoffices/${midoffice.body.id}`, { paused: true });
  await bellhop.support('PATCH', `${BASE}/partners/${partnerId}`, {
    midoffice_id: midoffice.body.id,
  });
  const accepted = await bellhop.support('POST', '/orders/v1/production/events', {
    event_id: `of ${partnerId}`,
    type: 'created',
    partner_id: partnerId,
    partner_order_id: 'o1',
  });
  return [
    `partners/${partnerId}`,
    `keys/${keyId}`,
    `midoffices/${midoffice.body.id}`,
    `deliveries/${accepted.body.results[0].delivery_id}`,
  ];
}

describeOnEachEngine('notes', (_start, share) => {
  const shared = share(SETTINGS);

  test('on each kind of record: added by support, read by viewers, in the audit', async () => {
    const bellhop = shared();
    const ann = (
      await bellhop.support('POST', '/support/v1/tokens', { name: 'Ann', role: 'support' })
    ).body;
    const viewer = (
      await bellhop.support('POST', '/support/v1/tokens', { name: 'Vera', role: 'viewer' })
    ).body;
    const texts = ['First call\nsecond line', 'Grüße 🛎️'];
    for (const path of await createRecords(bellhop)) {
      const address = `${BASE}/${path}/notes`;
      const added = [];
      for (const text of texts) {
        const { status, body } = await bellhop.support('POST', address, { text }, ann.token);
        expect([path, status]).toEqual([path, 201]);
        expect(body).toEqual({
          id: expect.stringMatching(/^not_/),
          at: expect.stringMatching(/Z$/),
          author: `Ann (${ann.id})`,
          text,
        });
        added.push(body);
      }
      const { body } = await bellhop.support('GET', address, undefined, viewer.token);
      const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
      expect(body.next_cursor).toBeNull();
      expect(body.items.sort(byId)).toEqual(added.sort(byId));
      const refused = await bellhop.support('POST', address, { text: 'x' }, viewer.token);
      expect(refused.status).toBe(403);
      const [, id] = path.split('/');
      const audit = await bellhop.support('GET', `${BASE}/audit?subject=${id}&action=note.create`);
      const recorded = audit.body.items.map((entry: { after: object }) => entry.after);
      expect(recorded).toHaveLength(2);
      for (const note of added) {
        expect(recorded).toContainEqual({ note_id: note.id, text: note.text });
      }
    }
  });

  test('come a page at a time', async () => {
    const bellhop = shared();
    const [partner] = await createRecords(bellhop);
    const address = `${BASE}/${partner}/notes`;
    for (let n = 0; n < 5; n++) await bellhop.support('POST', address, { text: `note ${n}` });
    const first = await bellhop.support('GET', `${address}?limit=3`);
    const rest = await bellhop.support(
      'GET',
      `${address}?limit=3&cursor=${first.body.next_cursor}`,
    );
    expect(rest.body.next_cursor).toBeNull();
    const texts = [...first.body.items, ...rest.body.items].map(({ text }) => text);
    expect(new Set(texts).size).toBe(5);
  });
});

describeOnEachEngine('a reason', (_start, share) => {
  const shared = share(SETTINGS);

  test('for a suspension, a revocation and a cancellation is kept in the audit', async () => {
    const bellhop = shared();
    const [partner = '', key = '', , delivery = ''] = await createRecords(bellhop);
    const lastAfter = async (path: string) => {
      const { body } = await bellhop.support('GET', `${BASE}/audit?subject=${path.split('/')[1]}`);
      return body.items[0].after;
    };
    const suspended = await bellhop.support('PATCH', `${BASE}/${partner}`, {
      suspended: true,
      reason: 'unpaid',
    });
    expect(suspended.body).toMatchObject({ suspended: true });
    expect(suspended.body).not.toHaveProperty('reason');
    expect(await lastAfter(partner)).toMatchObject({ suspended: true, reason: 'unpaid' });
    await bellhop.support('PATCH', `${BASE}/${partner}`, { suspended: false });
    expect(await lastAfter(partner)).not.toHaveProperty('reason');

    const cancelled = await bellhop.support('POST', `${BASE}/${delivery}/cancel`, {
      reason: 'sent by mail',
    });
    expect(cancelled.status).toBe(200);
    expect(await lastAfter(delivery)).toEqual({ state: 'cancelled', reason: 'sent by mail' });

    const reason = encodeURIComponent('leaked & found');
    expect((await bellhop.support('DELETE', `${BASE}/${key}?reason=${reason}`)).status).toBe(204);
    expect(await lastAfter(key)).toMatchObject({
      revoked_at: expect.any(String),
      reason: 'leaked & found',
    });
  });
});

describe('before a database is asked,', () => {
  const shared = sharedBackOffice(SETTINGS);

  test('notes are refused on records that do not exist, and with unsuitable text', async () => {
    const bellhop = shared();
    for (const [path, code] of [
      ['partners/par_1', 'partner_not_found'],
      ['keys/1', 'key_not_found'],
      ['midoffices/mid_1', 'midoffice_not_found'],
      ['deliveries/del_1', 'delivery_not_found'],
      ['deliveries/par_1', 'delivery_not_found'],
    ]) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { text: 'x' } : undefined;
        const reply = await bellhop.support(method, `${BASE}/${path}/notes`, body);
        expect([path, method, reply.status, reply.body.code]).toEqual([path, method, 404, code]);
      }
    }
    const [partner] = await createRecords(bellhop);
    const address = `${BASE}/${partner}/notes`;
    for (const body of [
      {},
      { text: '' },
      { text: 'x'.repeat(4_001) },
      { text: 'a\0b' },
      { text: 7 },
    ]) {
      expect((await bellhop.support('POST', address, body)).status).toBe(422);
    }
    expect((await bellhop.support('POST', address, { text: 'x'.repeat(4_000) })).status).toBe(201);
    // Nobody can change or delete one.
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      expect((await bellhop.support(method, address, {})).status).toBe(405);
    }
  });

  test('a reason is refused alone, empty, too long or with control characters', async () => {
    const bellhop = shared();
    const [partner = '', key = '', , delivery = ''] = await createRecords(bellhop);
    const alone = await bellhop.support('PATCH', `${BASE}/${partner}`, { reason: 'x' });
    const detail = 'is missing; it must be given together with reason';
    expect(alone).toMatchObject({
      status: 422,
      body: { errors: [{ field: '/suspended', detail }] },
    });
    for (const reason of ['', 'x'.repeat(501), 'a\nb']) {
      const calls = [
        bellhop.support('PATCH', `${BASE}/${partner}`, { suspended: true, reason }),
        bellhop.support('POST', `${BASE}/${delivery}/cancel`, { reason }),
        bellhop.support('DELETE', `${BASE}/${key}?reason=${encodeURIComponent(reason)}`),
      ];
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([422, 422, 422]);
    }
  });
});

import { describe, expect, test } from 'vitest';
import {
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
} from './webhook-bellhop.ts';

const PARTNERS = '/support/v1/production/partners';

describeWebhooksOnEachEngine('search', { BELLHOP_ROLES: 'back-office' }, (bellhop) => {
  interface Found {
    kind: string;
    id: string;
    title: string;
    detail: string;
  }

  async function find(q: string): Promise<Found[]> {
    const path = `/support/v1/production/search?q=${encodeURIComponent(q)}`;
    const { status, body } = await bellhop.support('GET', path);
    expect(status).toBe(200);
    return body.items;
  }

  async function newPartner(name: string): Promise<string> {
    const { body } = await bellhop.support('POST', PARTNERS, {
      name,
      integration_started_on: '2025-11-01',
      is_new: true,
    });
    return body.id;
  }

  const ids = (found: Found[]) => found.map(({ id }) => id);

  describe('finds', () => {
    test('an order, its newest events first', async () => {
      const sender = await newSender(bellhop);
      const order = 'order 4711/ü%_';
      const first = newEvent(sender, { partner_order_id: order });
      const second = newEvent(sender, { partner_order_id: order, type: 'cancelled' });
      const { body } = await bellhop.support('POST', EVENTS, { events: [first, second] });
      const [one, two] = body.results.map((result: { delivery_id: string }) => result.delivery_id);
      expect(await find(order)).toEqual([
        {
          kind: 'delivery',
          id: two,
          title: order,
          detail: 'cancelled, pending, to Test midoffice',
        },
        { kind: 'delivery', id: one, title: order, detail: 'updated, pending, to Test midoffice' },
      ]);
      expect(ids(await find(`  ${order} `))).toEqual([two, one]);
      expect(ids(await find(one))).toEqual([one]);
      expect(ids(await find(first.event_id))).toEqual([one]);
      expect(await find('order 471')).toEqual([]);
    });

    test('an order without a midoffice, and says so', async () => {
      const partnerId = await newPartner('Without midoffice');
      await bellhop.support('POST', EVENTS, newEvent({ partnerId }, { partner_order_id: 'lost' }));
      expect(await find('lost')).toEqual([
        {
          kind: 'partner',
          id: partnerId,
          title: 'lost',
          detail: expect.stringMatching(/no midoffice, so no webhook was sent\.$/),
        },
      ]);
    });

    test('a key by its id or the beginning of it', async () => {
      const { keyId } = await bellhop.newKey('production', { label: 'Main' });
      const found = {
        kind: 'key',
        id: keyId,
        title: `${keyId} Main`,
        detail: 'Key of Test partner',
      };
      expect(await find(keyId)).toEqual([found]);
      expect(await find(keyId.slice(0, 9))).toContainEqual(found);
      await bellhop.support('DELETE', `/support/v1/production/keys/${keyId}`);
      expect(await find(keyId)).toMatchObject([{ detail: 'Key of Test partner, revoked' }]);
      expect(await find('99999999999')).toEqual([]);
      expect(await find('9')).toEqual(expect.any(Array));
    });

    test('a partner and a midoffice by id', async () => {
      const { partnerId, midofficeId } = await newSender(bellhop);
      expect(await find(partnerId)).toMatchObject([{ kind: 'partner', id: partnerId }]);
      expect(await find(midofficeId)).toMatchObject([
        { kind: 'midoffice', detail: 'Midoffice at http://127.0.0.1:9/hook' },
      ]);
    });

    test.each([
      ['the beginning', 'Fernweh Reisen', 'Fern'],
      ['the middle', 'Alpha Kyoto Tours', 'yoto t'],
      ['another case', 'Oceanic GmbH', 'oCEANIC gMBh'],
      ['another case of other scripts', 'ООО Вокруг Света', 'вокруг с'],
      ['umlauts', 'Übersee & Söhne', 'üBERSEE & sÖ'],
      ['what LIKE would take for anything', '100%_sure Ltd', '0%_S'],
      ['what GLOB would take for anything', 'Ä*? [x] Ltd', 'ä*? [X'],
      ['what regular expressions would', 'É(.+)^$\\|{2} Ltd', 'é(.+)^$\\|{2}'],
      ['an apostrophe', "L'Été d'Or", "l'été D'"],
    ])('a partner by %s of its name', async (_what, name, typed) => {
      const id = await newPartner(name);
      expect(await find(typed)).toMatchObject([{ kind: 'partner', id, title: name }]);
      const listed = await bellhop.support('GET', `${PARTNERS}?name=${encodeURIComponent(typed)}`);
      expect(ids(listed.body.items)).toEqual([id]);
    });

    test('a midoffice by its name, names that begin with the text first', async () => {
      const middle = await newSender(bellhop, undefined, { name: 'The Zanzibar office' });
      const beginning = await newSender(bellhop, undefined, { name: 'Zanzibar office' });
      expect(ids(await find('zanzibar'))).toEqual([beginning.midofficeId, middle.midofficeId]);
      const listed = await bellhop.support('GET', `${MIDOFFICES}?name=the%20zanzi`);
      expect(ids(listed.body.items)).toEqual([middle.midofficeId]);
    });

    test('at most 20 results', async () => {
      for (let i = 0; i < 12; i++) await newSender(bellhop, undefined, { name: 'Crowd' });
      await Promise.all(Array.from({ length: 12 }, () => newPartner('Crowd')));
      expect(await find('crowd')).toHaveLength(20);
    });

    test('nothing for blank text, and takes % literally', async () => {
      expect(await find('')).toEqual([]);
      expect(await find('   ')).toEqual([]);
      expect(await find('%')).not.toContainEqual(expect.objectContaining({ title: 'Crowd' }));
    });
  });

  test('a filtered list of partners is paged', async () => {
    const made = [];
    for (let i = 0; i < 3; i++) made.unshift(await newPartner(`Paged ${i}`));
    const first = await bellhop.support('GET', `${PARTNERS}?name=paged&limit=2`);
    const next = encodeURIComponent(first.body.next_cursor);
    const second = await bellhop.support('GET', `${PARTNERS}?name=paged&limit=2&cursor=${next}`);
    expect(ids([...first.body.items, ...second.body.items])).toEqual(made);
    expect(second.body.next_cursor).toBeNull();
  });

  test('422: for a search text that is too long or missing', async () => {
    const path = '/support/v1/production/search';
    expect((await bellhop.support('GET', `${path}?q=${'x'.repeat(257)}`)).status).toBe(422);
    expect((await bellhop.support('GET', path)).status).toBe(422);
  });

  test('the audit can be filtered by time', async () => {
    const audit = '/support/v1/production/audit';
    const id = await newPartner('Audited');
    const { body } = await bellhop.support('GET', `${audit}?subject=${id}`);
    const [{ at }] = body.items;
    const count = async (query: string) =>
      (await bellhop.support('GET', `${audit}?subject=${id}&${query}`)).body.items.length;
    const later = new Date(Date.parse(at) + 1).toISOString();
    const earlier = new Date(Date.parse(at) - 1).toISOString();
    expect(await count(`since=${at}`)).toBe(1);
    expect(await count(`since=${later}`)).toBe(0);
    expect(await count(`until=${at}`)).toBe(1);
    expect(await count(`until=${earlier}`)).toBe(0);
    expect((await bellhop.support('GET', `${audit}?since=yesterday`)).status).toBe(422);
  });
});

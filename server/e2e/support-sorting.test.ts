import { describe, expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine, PRODUCTION_ONLY, sharedBackOffice } from '../testing/engines.ts';

const BASE = '/support/v1/production';

type Item = Record<string, string>;

/** Every item of a list, page by page. */
async function walk({ support }: TestBellhop, list: string, query: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = '';
  do {
    const { status, body } = await support('GET', `${BASE}/${list}?limit=3&${query}${cursor}`);
    expect(status).toBe(200);
    items.push(...body.items);
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  return items;
}

async function createPartner({ support }: TestBellhop, name: string): Promise<string> {
  const { body } = await support('POST', `${BASE}/partners`, {
    name,
    integration_started_on: '2025-11-01',
    is_new: false,
  });
  return body.id;
}

describeOnEachEngine('a sorted list', (start) => {
  test('of partners by name ignores case, in both directions, page by page', async () => {
    const bellhop = await start(PRODUCTION_ONLY);
    const names = ['delta', 'Alpha', 'charlie', 'alpha', 'Bravo', 'echo', 'Alpha'];
    for (const name of names) await createPartner(bellhop, name);
    const sorted = (await walk(bellhop, 'partners', 'sort=name')).map(({ name }) => name ?? '');
    expect(sorted.map((name) => name.toLowerCase())).toEqual(
      names.map((name) => name.toLowerCase()).sort(),
    );
    const reversed = await walk(bellhop, 'partners', 'sort=-name');
    expect(reversed.map(({ name }) => name)).toEqual(sorted.toReversed());
    const found = await walk(bellhop, 'partners', 'sort=name&name=A');
    expect(found.map(({ name }) => name?.toLowerCase())).toEqual([
      'alpha',
      'alpha',
      'alpha',
      'bravo',
      'charlie',
      'delta',
    ]);
  });

  test('by time is the default turned round', async () => {
    const bellhop = await start(PRODUCTION_ONLY);
    for (let n = 0; n < 7; n++) await bellhop.newKey('production');
    for (const list of ['partners', 'keys', 'audit']) {
      const field = list === 'audit' ? 'at' : 'created_at';
      const newest = await walk(bellhop, list, '');
      expect(await walk(bellhop, list, `sort=-${field}`)).toEqual(newest);
      expect(await walk(bellhop, list, `sort=${field}`)).toEqual(newest.toReversed());
    }
    const byAdmin = await walk(bellhop, 'audit', 'actor=admin');
    expect(byAdmin.length).toBeGreaterThan(7);
    expect(await walk(bellhop, 'audit', 'actor=admin&sort=at')).toEqual(byAdmin.toReversed());
  });

  test('of keys by expiry ends with those that never expire', async () => {
    const bellhop = await start(PRODUCTION_ONLY);
    const partners = [await createPartner(bellhop, 'One'), await createPartner(bellhop, 'Two')];
    const times = ['2027-03-01', '2027-01-01', undefined, '2027-02-01', undefined];
    for (const partner of partners) {
      for (const day of times) {
        const expires_at = day === undefined ? null : `${day}T00:00:00.000Z`;
        await bellhop.support('POST', `${BASE}/partners/${partner}/keys`, { expires_at });
      }
    }
    const ofOne = [...times.filter(Boolean).sort(), undefined, undefined];
    const shown = async (query: string) =>
      (await walk(bellhop, 'keys', query)).map(({ expires_at }) => expires_at?.slice(0, 10));
    expect(await shown(`sort=expires_at&partner_id=${partners[0]}`)).toEqual(ofOne);
    expect(await shown(`sort=-expires_at&partner_id=${partners[0]}`)).toEqual(ofOne.toReversed());
    expect(await shown('sort=expires_at')).toEqual(ofOne.flatMap((day) => [day, day]));
  });
});

describeOnEachEngine('the total', (start) => {
  test('of a list obeys its filters', async () => {
    const bellhop = await start(PRODUCTION_ONLY);
    const { partnerId } = await bellhop.newKey('production');
    await bellhop.newKey('production');
    await createPartner(bellhop, 'Ünal');
    const counted = async (path: string) => (await bellhop.support('GET', `${BASE}/${path}`)).body;
    const expected: [path: string, count: number][] = [
      ['partners/count', 3],
      ['partners/count?name=PARTNER', 2],
      ['partners/count?name=ü', 1],
      ['keys/count', 2],
      [`keys/count?partner_id=${partnerId}`, 1],
      ['audit/count', 6],
      ['audit/count?action=key.create', 2],
      ['audit/count?actor=admin', 5],
      ['audit/count?actor=nobody', 0],
      [`audit/count?subject=${partnerId}`, 1],
      ['audit/count?until=2020-01-01T00:00:00Z', 0],
    ];
    for (const [path, count] of expected) {
      expect([path, await counted(path)]).toEqual([path, { count, is_exact: true }]);
    }
    expect((await bellhop.support('GET', `${BASE}/keys/count?limit=1`)).status).toBe(422);
  });
});

describe('a sorted list', () => {
  const shared = sharedBackOffice();

  test('refuses another order, and the cursor of another order', async () => {
    const bellhop = shared();
    for (const name of ['a', 'b']) await createPartner(bellhop, name);
    for (const list of ['partners', 'keys', 'audit']) {
      expect(await bellhop.support('GET', `${BASE}/${list}?sort=id`)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'sort' }] },
      });
    }
    const { body } = await bellhop.support('GET', `${BASE}/partners?limit=1&sort=name`);
    const other = await bellhop.support('GET', `${BASE}/partners?cursor=${body.next_cursor}`);
    expect(other).toMatchObject({ status: 422, body: { errors: [{ field: 'cursor' }] } });
  });
});

import { describe, expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine, PRODUCTION_ONLY, sharedBackOffice } from '../testing/engines.ts';

const PARTNERS = '/support/v1/production/partners';

async function createPartners(
  { support }: TestBellhop,
  count: number,
  name = 'Partner',
): Promise<string[]> {
  const replies = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      support('POST', PARTNERS, {
        name: `${name} ${n}`,
        integration_started_on: '2025-11-01',
        is_new: false,
      }),
    ),
  );
  return replies.map(({ body }) => body.id);
}

describeOnEachEngine('lists', (_start, share) => {
  const shared = share(PRODUCTION_ONLY);

  test('return each item once, newest first, page by page, even while items are added', async () => {
    const bellhop = shared();
    const before = await createPartners(bellhop, 25, 'Walked');
    const walked: { id: string; created_at: string }[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, body } = await bellhop.support(
        'GET',
        `${PARTNERS}?name=walked&limit=7${query}`,
      );
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(7);
      walked.push(...body.items);
      cursor = body.next_cursor;
      pages++;
      await createPartners(bellhop, 3, 'Walked');
    } while (cursor !== null);

    expect(pages).toBe(4);
    expect(walked.map(({ id }) => id).sort()).toEqual([...before].sort());
    const times = walked.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('have no next cursor when the last page is exactly full', async () => {
    const bellhop = shared();
    await createPartners(bellhop, 4, 'Full');
    const first = await bellhop.support('GET', `${PARTNERS}?name=full&limit=2`);
    expect(first.body.next_cursor).toMatch(/^[\w-]+$/);
    const second = await bellhop.support(
      'GET',
      `${PARTNERS}?name=full&limit=2&cursor=${first.body.next_cursor}`,
    );
    expect(second.body).toMatchObject({ next_cursor: null });
    expect(second.body.items).toHaveLength(2);
  });

  test('accept any well-formed cursor', async () => {
    const bellhop = shared();
    await createPartners(bellhop, 2, 'Cursor');
    for (const [cursor, items] of [
      ['0-a', 0],
      ['-0-a', 0],
      ['-1-_', 0],
      ['9007199254740991-par_1', 2],
      ['9999999999999999-0', 2],
      ['-9999999999999999--', 0],
      ['.a&sort=name', 2],
      ['AAA.a&sort=name', 2],
      ['gICA.a&sort=-name', 2],
    ] as const) {
      const path = `${PARTNERS}?name=cursor&cursor=${cursor}`;
      const { status, body } = await bellhop.support('GET', path);
      expect([cursor, status, body.items?.length]).toEqual([cursor, 200, items]);
    }
  });

  test('continue after the longest names', async () => {
    const bellhop = shared();
    for (const last of ['🛎', '🛏']) {
      await bellhop.support('POST', PARTNERS, {
        name: '🛎'.repeat(199) + last,
        integration_started_on: '2025-11-01',
        is_new: false,
      });
    }
    const first = await bellhop.support('GET', `${PARTNERS}?name=🛎&sort=name&limit=1`);
    const next = `cursor=${first.body.next_cursor}`;
    const second = await bellhop.support('GET', `${PARTNERS}?name=🛎&sort=name&limit=1&${next}`);
    expect([first, second].map(({ body }) => body.items[0].name.slice(-2))).toEqual(['🛎', '🛏']);
  });
});

describe('lists', () => {
  const shared = sharedBackOffice();

  test('have 50 items per page by default, and at most 200', async () => {
    const bellhop = shared();
    await createPartners(bellhop, 51);
    await bellhop.newKey('production');
    // The audit has the partners, the key and the first token.
    for (const [list, all] of [
      ['partners', 52],
      ['keys', 1],
      ['audit', 54],
    ] as const) {
      const get = (query: string) =>
        bellhop.support('GET', `/support/v1/production/${list}${query}`);
      expect((await get('')).body.items).toHaveLength(Math.min(all, 50));
      expect((await get('?limit=1')).body.items).toHaveLength(1);
      expect((await get('?limit=200')).body.items).toHaveLength(all);
      for (const limit of ['0', '201', '-1', '1.5', 'all', '', '1e2', '+5', '0x10', '%2000']) {
        expect(await get(`?limit=${limit}`)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field: 'limit' }] },
        });
      }
      expect(await get('?limit=5&limit=6')).toMatchObject({ status: 422 });
      expect(await get('?page=2')).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'page' }] },
      });
    }
  });

  test('refuse an invalid cursor', async () => {
    const { support } = shared();
    const junk = [
      '',
      'x',
      '%00',
      'null',
      '1',
      '1-',
      '-a',
      '1.5-a',
      '1e300-a',
      '--1-a',
      '12345678901234567-a',
      `1-${'a'.repeat(65)}`,
      '1-%00',
      '1-a.b',
      'QQ.a',
      encoded([1, 'a']),
      `1-${'x'.repeat(2_000)}`,
    ];
    for (const cursor of junk) {
      const reply = await support('GET', `${PARTNERS}?cursor=${cursor}`);
      expect([cursor, reply.status, reply.body.code]).toEqual([cursor, 422, 'validation_failed']);
      expect(reply.body.errors[0].field).toBe('cursor');
    }
  });
});

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

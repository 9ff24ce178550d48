import { describe, expect, test } from 'vitest';
import { basic } from '../testing/bellhop.ts';
import { describeOnEachEngine, sharedBackOffice } from '../testing/engines.ts';
import { overview, TIME, UUID } from './called-overview.ts';

const KEYS = '/support/v1/production/keys';

describeOnEachEngine('keys', (_start, share) => {
  const shared = share();

  test('are rotated with and without an overlap', async () => {
    const bellhop = shared();
    const { keyId, authorization } = await bellhop.newKey('production');
    const rotate = (body: object) => bellhop.support('POST', `${KEYS}/${keyId}/rotation`, body);
    const status = async (header: string) => (await overview(bellhop, header)).status;

    const headers = [authorization];
    const statuses = async () => {
      const all: number[] = [];
      for (const header of headers) all.push(await status(header));
      return all;
    };

    const first = await rotate({ overlap_seconds: 3_600 });
    expect(first).toMatchObject({
      status: 200,
      body: { key_id: keyId, api_key: UUID, previous_key_valid_until: TIME, revoked_at: null },
    });
    const ofFirst = first.body.previous_key_valid_until;
    expect(first.body.overlap_ends).toEqual([ofFirst]);
    headers.push(basic(keyId, first.body.api_key));
    expect(headers[1]).not.toBe(authorization);
    expect(await statuses()).toEqual([200, 200]);

    // A second rotation keeps the first overlap; previous_key_valid_until shows the latest end.
    const second = await rotate({});
    headers.push(basic(keyId, second.body.api_key));
    const ofSecond = second.body.previous_key_valid_until;
    expect(Date.parse(ofSecond)).toBeGreaterThan(Date.parse(ofFirst));
    expect(second.body.overlap_ends).toEqual([ofSecond, ofFirst]);
    expect(await statuses()).toEqual([200, 200, 200]);

    // Without an overlap, only the replaced API key ends.
    const third = await rotate({ overlap_seconds: 0 });
    headers.push(basic(keyId, third.body.api_key));
    expect(third.body.overlap_ends).toEqual([ofSecond, ofFirst]);
    expect(await statuses()).toEqual([200, 200, 401, 200]);

    const last = await rotate({ overlap_seconds: 0, end_overlaps: true });
    headers.push(basic(keyId, last.body.api_key));
    expect(last.body).toMatchObject({ previous_key_valid_until: null, overlap_ends: [] });
    expect(await statuses()).toEqual([401, 401, 401, 401, 200]);
  });

  test('have at most four earlier API keys: a fifth overlap is refused, and revoking ends them all', async () => {
    const bellhop = shared();
    const { keyId, authorization } = await bellhop.newKey('production');
    const rotate = (body: object) => bellhop.support('POST', `${KEYS}/${keyId}/rotation`, body);
    const headers = [authorization];
    for (let i = 0; i < 4; i++) headers.push(basic(keyId, (await rotate({})).body.api_key));
    const statuses = () =>
      Promise.all(headers.map(async (header) => (await overview(bellhop, header)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);

    expect(await rotate({})).toMatchObject({ status: 409, body: { code: 'too_many_overlaps' } });
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    // A leaked API key can still be replaced.
    headers.push(basic(keyId, (await rotate({ overlap_seconds: 0 })).body.api_key));
    expect(await statuses()).toEqual([200, 200, 200, 200, 401, 200]);

    await bellhop.support('DELETE', `${KEYS}/${keyId}`);
    expect(await statuses()).toEqual(Array(6).fill(401));
  });

  test('that are rotated concurrently end up with an API key that was shown', async () => {
    const bellhop = shared();
    const { keyId } = await bellhop.newKey('production');
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        bellhop.support('POST', `${KEYS}/${keyId}/rotation`, { overlap_seconds: 0 }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const statuses = await Promise.all(
      replies.map(async ({ body }) => (await overview(bellhop, basic(keyId, body.api_key))).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const { body } = await bellhop.support('GET', `/support/v1/production/audit?subject=${keyId}`);
    const rotations = body.items.filter(
      (entry: { action: string }) => entry.action === 'key.rotate',
    );
    expect(rotations).toHaveLength(5);
  });
});

describe('a key is not rotated with', () => {
  const bellhop = sharedBackOffice();

  test.each([-1, 1.5, 30 * 86_400 + 1, '60', null])('an overlap of %j', async (overlap_seconds) => {
    const { support, newKey } = bellhop();
    const { keyId } = await newKey('production');
    expect(await support('POST', `${KEYS}/${keyId}/rotation`, { overlap_seconds })).toMatchObject({
      status: 422,
      body: { errors: [{ field: '/overlap_seconds' }] },
    });
  });
});

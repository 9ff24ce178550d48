/** The questions that the usage history answers, and those that it refuses. */
import { describe, expect, test } from 'vitest';
import { sharedBackOffice } from '../testing/engines.ts';
import { OVERVIEW } from './granted-keys.ts';

const bellhop = sharedBackOffice();
const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

describe('the history of a key and of a partner', () => {
  async function paths(): Promise<string[]> {
    const { keyId, partnerId } = await bellhop().newKey('production');
    const base = '/support/v1/production';
    return [`${base}/keys/${keyId}/history`, `${base}/partners/${partnerId}/history`];
  }

  test.each<Record<string, string>>([
    {},
    { step: 'hour' },
    { step: 'day' },
    { step: 'hour', since: daysAgo(90) },
    { step: 'day', since: daysAgo(762) },
    { since: daysAgo(400), until: daysAgo(320) },
    { until: daysAgo(1) },
    { endpoint: OVERVIEW },
    { endpoint: '/api/b2b/v3/overview' },
  ])('is empty without calls: %j', async (query) => {
    for (const path of await paths()) {
      const reply = await bellhop().support('GET', `${path}?${new URLSearchParams(query)}`);
      expect(reply).toMatchObject({ status: 200, body: { items: [] } });
      expect(Object.keys(reply.body)).toEqual(['items']);
    }
  });

  test.each([
    [{ step: 'week' }, 'step'],
    [{ step: 'minute' }, 'step'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: '2026-02-30T25:00:00Z' }, 'until'],
    [{ since: daysAgo(1), until: daysAgo(2) }, 'since'],
    [{ step: 'hour', since: daysAgo(92) }, 'since'],
    [{ step: 'day', since: daysAgo(764) }, 'since'],
    [{ endpoint: 'api/b2b/v3/nothing/' }, 'endpoint'],
  ])('refuses %j, and says what is wrong', async (query, field) => {
    for (const path of await paths()) {
      const reply = await bellhop().support('GET', `${path}?${new URLSearchParams(query)}`);
      expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      expect(reply.body.errors).toMatchObject([{ field }]);
    }
  });

  test('does not exist for keys and partners that do not exist', async () => {
    const base = '/support/v1/production';
    for (const [path, code] of [
      ['keys/123/history', 'key_not_found'],
      ['keys/123/peaks', 'key_not_found'],
      ['partners/par_nobody/history', 'partner_not_found'],
    ]) {
      const reply = await bellhop().support('GET', `${base}/${path}`);
      expect(reply).toMatchObject({ status: 404, body: { code } });
    }
  });
});

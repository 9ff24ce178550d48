import { expect, test } from 'vitest';
import type { Limit, OwnKey, OwnMidoffice, OwnRefusal } from '../../api/types.ts';
import { type Facts, verdictOf } from './verdict.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const AGO_MS = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const midoffice: OwnMidoffice = {
  name: 'Test midoffice',
  url: 'https://partner.example/hooks',
  signing_key_id: '1',
  body_form: 'data',
  delivery_order: 'any',
  paused: false,
  failing_since: null,
  health: 'healthy',
  is_shared: false,
  pending: 0,
  waiting: 0,
  last_test: null,
  url_change: null,
};
const key = { key_id: '1', label: 'live', disabled: false, expires_at: null } as OwnKey;
const usage = (at: string, peak_share: number) => ({
  at,
  endpoint: 'api/b2b/v3/overview/',
  admitted: 12,
  refused: 0,
  failed: 0,
  peak_share,
});
const well: Facts = {
  midoffice,
  exhausted: { count: 0, hasMore: false },
  keys: [{ key, limits: [], history: [usage(AGO_MS(60), 0.12)] }],
  refusals: [],
};

test('all is well: webhooks arrive, and how much of the highest limit was used today', () => {
  expect(verdictOf(well, NOW)).toEqual({
    tone: 'good',
    sentence: 'Webhooks arrive. Your key used 12 % of its highest limit today.',
    advice: [],
  });
});

test('yesterday does not count as today', () => {
  const history = [usage('2026-03-09T23:00:00.000Z', 0.9)];
  const { sentence } = verdictOf({ ...well, keys: [{ key, limits: [], history }] }, NOW);
  expect(sentence).toBe('Webhooks arrive. No call was made today.');
});

test('of several keys, the one that came closest to a limit', () => {
  const other = { ...key, key_id: '2', label: 'office' };
  const keys = [...well.keys, { key: other, limits: [], history: [usage(AGO_MS(30), 0.805)] }];
  expect(verdictOf({ ...well, keys }, NOW).sentence).toBe(
    'Webhooks arrive. Key “office” used 80.5 % of its highest limit today.',
  );
});

test('a failing receiver is the worst, and says what waits for it', () => {
  const failing = {
    ...midoffice,
    health: 'failing' as const,
    failing_since: AGO_MS(20),
    pending: 3,
  };
  const { tone, sentence, advice } = verdictOf({ ...well, midoffice: failing }, NOW);
  expect(tone).toBe('bad');
  expect(sentence).toContain('Webhooks have not arrived for 20 minutes.');
  expect(advice).toMatchObject([
    {
      to: 'receiver',
      after: 'and repair your receiver. 3 webhooks will be sent once it answers.',
    },
  ]);
  const restarting = { ...failing, failing_since: AGO_MS(0.5) };
  expect(verdictOf({ ...well, midoffice: restarting }, NOW).sentence).toContain(
    'Webhooks do not arrive at the moment.',
  );
});

test.for([
  ['a pause', { midoffice: { ...midoffice, paused: true } }, 'warn', /paused your webhooks/],
  ['no receiver', { midoffice: null }, 'warn', /no receiver/],
  [
    'an untested receiver',
    { midoffice: { ...midoffice, health: 'untested' } },
    'calm',
    /No webhook/,
  ],
  ['lost webhooks', { exhausted: { count: 50, hasMore: true } }, 'warn', /more than 50 webhooks/],
] as [string, Partial<Facts>, string, RegExp][])('%s', ([, facts, tone, words]) => {
  const verdict = verdictOf({ ...well, ...facts }, NOW);
  expect(verdict.tone).toBe(tone);
  expect(verdict.sentence).toMatch(words);
});

test('what needs somebody: a key that expires, a limit that is used up, refused calls of a day', () => {
  const expiring = { ...key, expires_at: new Date(NOW + 3 * 86_400_000).toISOString() };
  const full = {
    endpoint: 'api/b2b/v3/search/hp/',
    is_limited: true,
    remaining: 0,
    resets_at: new Date(NOW + 42_000).toISOString(),
  } as Limit;
  const refused = (minutes: number, code: string, sampled_from: number) =>
    ({ at: AGO_MS(minutes), code, sampled_from }) as OwnRefusal;
  const { tone, advice } = verdictOf(
    {
      ...well,
      keys: [{ key: expiring, limits: [full], history: [] }],
      refusals: [
        refused(5, 'endpoint_exceeded_limit', 9),
        refused(10, 'not_allowed_host', 2),
        refused(25 * 60, 'incorrect_credentials', 100),
      ],
    },
    NOW,
  );
  expect(tone).toBe('warn');
  expect(advice.map(({ link, after }) => `${link} ${after}`)).toEqual([
    'Key “live” expires in 3 d. Ask API support to extend it.',
    'The limit of search/hp/ is used up. The next call is allowed in 42 s.',
    '11 calls refused or failed in the last 24 hours, mostly with endpoint_exceeded_limit.',
  ]);
});

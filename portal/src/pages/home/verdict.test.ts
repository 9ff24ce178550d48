import { expect, test } from 'vitest';
import type { Home, Limit, OwnKey, OwnMidoffice } from '../../api/types.ts';
import { verdictOf } from './verdict.ts';

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
  is_own: true,
  pending: 0,
  waiting: 0,
  last_test: null,
  url_change: null,
};
const key = { key_id: '1', label: 'live', disabled: false, expires_at: null } as OwnKey;
const well: Home = {
  midoffice,
  exhausted: { count: 0, has_more: false },
  keys: [{ key, limits_in_use: [], highest_share_today: 0.12 }],
  refused_lately: null,
  deliveries: [],
};

test('all is well: webhooks arrive, and how much of a limit was used today', () => {
  expect(verdictOf(well, NOW)).toEqual({
    tone: 'good',
    sentence: 'Webhooks arrive. Your key used 12 % of a limit today.',
    advice: [],
  });
});

test('no call today', () => {
  const keys = [{ key, limits_in_use: [], highest_share_today: null }];
  const { sentence } = verdictOf({ ...well, keys }, NOW);
  expect(sentence).toBe('Webhooks arrive. No call was made today.');
});

test('of several keys, the one that came closest to a limit', () => {
  const other = { ...key, key_id: '2', label: 'office' };
  const unused = { ...key, key_id: '3', label: 'new' };
  const keys = [
    ...well.keys,
    { key: other, limits_in_use: [], highest_share_today: 0.805 },
    { key: unused, limits_in_use: [], highest_share_today: null },
  ];
  expect(verdictOf({ ...well, keys }, NOW).sentence).toBe(
    'Webhooks arrive. Key “office” used 80.5 % of a limit today.',
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
  ['lost webhooks', { exhausted: { count: 50, has_more: true } }, 'warn', /more than 50 webhooks/],
] as [string, Partial<Home>, string, RegExp][])('%s', ([, facts, tone, words]) => {
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
  const { tone, advice } = verdictOf(
    {
      ...well,
      keys: [{ key: expiring, limits_in_use: [full], highest_share_today: null }],
      refused_lately: { calls: 11, most_frequent: 'endpoint_exceeded_limit' },
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

test('a limit whose time has passed since it was read needs nobody', () => {
  const full = { remaining: 0, resets_at: new Date(NOW).toISOString() } as Limit;
  const keys = [{ key, limits_in_use: [full], highest_share_today: null }];
  expect(verdictOf({ ...well, keys }, NOW).advice).toEqual([]);
});

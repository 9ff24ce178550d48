import { expect, test } from 'vitest';
import type { Stats } from '../../api/types.ts';
import { verdictOf } from './verdict.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');

const idle: Stats = {
  span: 'hour',
  from: '2026-01-31T11:00:00Z',
  to: '2026-01-31T12:00:00Z',
  step_seconds: 60,
  buckets: [],
  pending: 0,
  oldest_pending_at: null,
  in_flight: 0,
  success_rate: null,
  failing_count: 0,
  failing_midoffices: [],
  unstable_count: 0,
  unstable_midoffices: [],
  paused_midoffices: [],
  exhausted: 0,
  oldest_exhausted_at: null,
  exhausted_midoffices: [],
  unrouted: 0,
  limited_keys: [],
  recent_changes: [],
};
const bucket = (counts: Partial<Stats['buckets'][number]>) => ({
  at: '2026-01-31T11:00:00Z',
  delivered: 0,
  failed_attempts: 0,
  exhausted: 0,
  ...counts,
});
const waiting = { pending: 1_667, oldest_pending_at: '2026-01-31T11:32:00Z' };
const failing = (name: string, pending: number) => ({
  id: `mid_${name}`,
  name,
  failing_since: '2026-01-31T11:32:00Z',
  pending,
  last_error: 'It answered 500.',
});

function verdict(stats: Partial<Stats>) {
  const { tone, sentence, advice } = verdictOf({ ...idle, ...stats }, NOW);
  return { tone, sentence, advice: advice.map((one) => [one.before, one.link, one.after]) };
}

test('receivers that are down come first, with what waits and for how long', () => {
  const failing_midoffices = [failing('Harbour', 1_600), failing('Rialto', 67)];
  expect(verdict({ ...waiting, failing_count: 4, failing_midoffices })).toEqual({
    tone: 'bad',
    sentence: '4 midoffices down, 1,667 webhooks waiting, oldest 28 min.',
    advice: [
      [
        'Start with',
        'Harbour',
        ': 1,600 webhooks wait for it. When its receiver is fixed, send a test event.',
      ],
    ],
  });
  expect(verdict({ failing_count: 1, failing_midoffices: [failing('Harbour', 0)] })).toMatchObject({
    sentence: '1 midoffice down, nothing waits.',
    advice: [['See', 'Harbour', ': when its receiver is fixed, send a test event.']],
  });
});

test('a receiver that has only just begun to fail is not down', () => {
  const unstable_midoffices = [{ ...failing('Harbour', 3), failed_share: 0.25 }];
  expect(verdict({ ...waiting, unstable_count: 1, unstable_midoffices })).toEqual({
    tone: 'warn',
    sentence: '1 midoffice unstable, 1,667 webhooks waiting, oldest 28 min.',
    advice: [
      [
        'See',
        'Harbour',
        ': 3 webhooks wait for it. When its receiver is fixed, send a test event.',
      ],
    ],
  });
});

test('what waits for a paused midoffice is said to be paused', () => {
  const paused_midoffices = [{ id: 'mid_1', name: 'Fernweh', pending: 1 }];
  const one = { pending: 1, oldest_pending_at: '2026-01-31T11:59:30Z' };
  expect(verdict({ ...one, paused_midoffices })).toEqual({
    tone: 'warn',
    sentence: '1 midoffice paused, 1 webhook waiting, oldest 30 s.',
    advice: [['Resume', 'Fernweh', 'once its receiver is ready: 1 webhook waits for it.']],
  });
  // A midoffice that nothing waits for may stay paused.
  expect(verdict({ paused_midoffices: [{ id: 'mid_1', name: 'Fernweh', pending: 0 }] }).tone).toBe(
    'calm',
  );
});

test('a long wait is worth a look even if all receivers answer', () => {
  expect(verdict(waiting)).toMatchObject({
    tone: 'warn',
    sentence: 'No midoffice is down, but 1,667 webhooks waiting, oldest 28 min.',
  });
});

test('deliveries that were given up are a task until somebody has dealt with them', () => {
  const exhausted_midoffices = [
    { id: 'mid_1', name: 'Fernweh', exhausted: 179 },
    { id: 'mid_2', name: 'Rialto', exhausted: 7 },
  ];
  const buckets = [bucket({ delivered: 9 })];
  expect(verdict({ exhausted: 186, exhausted_midoffices, buckets })).toEqual({
    tone: 'warn',
    sentence: 'No midoffice is down, but 186 webhooks exhausted and still open; nothing waits.',
    advice: [
      ['Send', '186 exhausted deliveries', 'again, or acknowledge what needs nothing more.'],
      ['Begin with', 'Fernweh', ': 179 of them.'],
    ],
  });
  // Somebody has dealt with them.
  expect(verdict({ buckets: [bucket({ delivered: 9, exhausted: 3 })] }).tone).toBe('good');
});

test('when all is well, it says so, and when nothing happened too', () => {
  expect(verdict({ span: 'week', buckets: [bucket({ delivered: 2_842 })] })).toEqual({
    tone: 'good',
    sentence: 'All is well: 2,842 webhooks delivered in the last week, nothing waits.',
    advice: [],
  });
  expect(verdict({})).toEqual({
    tone: 'calm',
    sentence: 'No webhook was sent in the last hour; nothing waits.',
    advice: [],
  });
});

test('events without a midoffice and refused keys are advice, not alarm', () => {
  const limited_keys = [{ key_id: '77', label: null, partner_name: 'Rialto', refused: 43 }];
  const { tone, advice } = verdict({ unrouted: 12, limited_keys });
  expect(tone).toBe('calm');
  expect(advice.map(([, link]) => link)).toEqual(['12 events without one', '77']);
});

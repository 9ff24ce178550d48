import { expect, test } from 'vitest';
import { outcomeOf } from '../../../testing/queue-owner.ts';
import type { Due } from '../../delivery/stages.ts';
import { followUp } from './follow-up.ts';

const NOW = 1_000_000;
const due = { seq: 1, attempts_made: 9, retries_used: 8, asked_at: null } as Due;
const failed = outcomeOf(due, NOW, { retryInMs: 500 });
const row = { order_key: null, asked_at: null, due_at: NOW };
const now = { isNew: true, nowMs: NOW };

test('a failed attempt uses a step of the schedule', () => {
  expect(followUp(failed, row, now)).toEqual({
    kind: 'pending',
    due_at: NOW + 500,
    scheduled_at: null,
    retries_used: 9,
  });
});

test('an attempt requested meanwhile follows at once, and then the schedule continues', () => {
  expect(followUp(failed, { ...row, asked_at: 5 }, now)).toEqual({
    kind: 'pending',
    due_at: NOW,
    scheduled_at: NOW + 500,
    retries_used: 9,
  });
});

test('an attempt that was already recorded changes nothing', () => {
  expect(followUp(failed, row, { ...now, isNew: false })).toEqual({ kind: 'known', due_at: NOW });
});

import { expect, test } from 'vitest';
import type { DeliveryState } from '../api/types.ts';
import { lookOf } from './badges.tsx';

function labelOf(state: DeliveryState, in_flight = false, attempts_made = 0): string {
  return lookOf({ state, paused: false, in_flight, attempts_made, acknowledged_at: null }).label;
}

test('a delivery shows its state, and a pending one what it waits for', () => {
  expect(labelOf('exhausted', false, 22)).toBe('exhausted');
  const acknowledged = {
    paused: false,
    in_flight: false,
    attempts_made: 22,
    acknowledged_at: '2026-01-31',
  };
  expect(lookOf({ state: 'exhausted', ...acknowledged }).label).toBe('exhausted, acknowledged');
  expect(labelOf('unrouted')).toBe('no receiver');
  expect(labelOf('pending')).toBe('pending');
  expect(labelOf('pending', false, 2)).toBe('pending, retrying');
  expect(labelOf('pending', true, 2)).toBe('in flight');
  const held = { paused: true, in_flight: false, attempts_made: 2, acknowledged_at: null };
  expect(lookOf({ state: 'pending', ...held }).label).toBe('paused');
});

test('a state of a newer server shows by its name, and not as pending', () => {
  expect(labelOf('parked' as DeliveryState, false, 2)).toBe('parked');
});

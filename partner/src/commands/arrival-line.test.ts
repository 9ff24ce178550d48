import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { arrivalLine } from './arrival.ts';
import type { Arrival } from './webhook-listener.ts';

const arrival: Arrival = {
  at: new Date('2026-01-31T12:00:00'),
  method: 'POST',
  path: '/hook',
  verdict: 'verified',
  type: 'created',
  partnerOrderId: 'order-7',
  attempt: 1,
  answered: 200,
};

const line = (more: Partial<Arrival> = {}, isTerminal = true) =>
  stripVTControlCharacters(arrivalLine({ ...arrival, ...more }, isTerminal));

test('shows a webhook on one line', () => {
  expect(line()).toBe('12:00:00  created    order-7  verified  attempt 1   answered 200');
});

test('aligns the answers of attempts 9 and 10', () => {
  const [nine, ten] = [line({ attempt: 9 }), line({ attempt: 10 })];
  expect(nine.indexOf('answered')).toBe(ten.indexOf('answered'));
});

test('cuts a long order id in the middle on a terminal, and keeps it elsewhere', () => {
  const partnerOrderId = `begin-${'x'.repeat(240)}-end`;
  expect(line({ partnerOrderId })).toMatch(/ begin-x{18}…x{19}-end {2}verified /);
  expect(line({ partnerOrderId }, false)).toContain(partnerOrderId);
});

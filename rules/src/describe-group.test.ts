import { expect, test } from 'vitest';
import { areAlike, groupInWords, inGroups } from './describe-group.ts';

const entry = (action: string, sentence: string, subject_name = 'Meridian', actor = 'Ann') => ({
  actor,
  action,
  sentence,
  subject_name,
});
const sent = (order: string, actor?: string) =>
  entry('delivery.retry', `sent order ${order} again`, `order ${order}`, actor);
const testEvent = entry('midoffice.test_event', 'sent a test event to Meridian');

test('deliveries that one person sent again one by one are one line with their orders', () => {
  const many = Array.from({ length: 12 }, (_, n) => sent(String(1_001 + n)));
  expect(inGroups([...many, sent('7', 'Bob')], areAlike).map(groupInWords)).toEqual([
    'sent 12 deliveries again: orders 1001, 1002, 1003 and 9 more',
    'sent order 7 again',
  ]);
});

test('the same change again is counted, another one is not', () => {
  const renamed = entry('partner.update', 'changed the name of Blue from A to B');
  const back = entry('partner.update', 'changed the name of Blue from B to A');
  const groups = inGroups([testEvent, testEvent, renamed, back, testEvent], areAlike);
  expect(groups.map(groupInWords)).toEqual([
    'sent a test event to Meridian, 2 times',
    'changed the name of Blue from A to B',
    'changed the name of Blue from B to A',
    'sent a test event to Meridian',
  ]);
});

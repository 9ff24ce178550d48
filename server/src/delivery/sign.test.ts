import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerSafe } from './sign.ts';

test.each([
  ['event-1:a/b?c', 'event-1:a/b?c'],
  ['a b', 'a%20b'],
  ['a%20b', 'a%2520b'],
  ['é', '%C3%A9'],
  ['%C3%A9', '%25C3%25A9'],
  ['a\r\nb\t🧳', 'a%0D%0Ab%09%F0%9F%A7%B3'],
])('webhook-id of %j is %j', (eventId, webhookId) => {
  expect(headerSafe(eventId)).toBe(webhookId);
});

test('two events never share a webhook-id, and each can be read back', () => {
  const eventIds = fc.string({
    unit: fc.oneof(fc.constantFrom('%', '2', '5', ' '), fc.string({ unit: 'binary' })),
  });
  fc.assert(
    fc.property(eventIds, (eventId) => {
      fc.pre(eventId.isWellFormed());
      const webhookId = headerSafe(eventId);
      expect(webhookId).toMatch(/^[\x21-\x7e]*$/);
      expect(decodeURIComponent(webhookId)).toBe(eventId);
    }),
  );
});

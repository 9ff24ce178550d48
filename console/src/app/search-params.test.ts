import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSearch, stringifySearch, textParams } from './search-params.ts';

test('a parameter is always text, even if it looks like a number, a time or a boolean', () => {
  expect(parseSearch('?partner_order_id=4711&since=2026-01-01T00%3A00%3A00.000Z&x=true')).toEqual({
    partner_order_id: '4711',
    since: '2026-01-01T00:00:00.000Z',
    x: 'true',
  });
});

test('addresses are plain and leave out empty parameters', () => {
  expect(stringifySearch({ state: 'pending', type: '', since: undefined })).toBe('?state=pending');
  expect(stringifySearch({ partner_order_id: '4711' })).toBe('?partner_order_id=4711');
  expect(stringifySearch({})).toBe('');
});

test('parsing a written address returns the same parameters', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.record({ a: text, b: text }), (search) => {
      expect(parseSearch(stringifySearch(search))).toEqual(search);
    }),
  );
});

test('a route takes only its own parameters', () => {
  const validate = textParams(['state', 'type']);
  expect(validate({ state: 'pending', type: '', other: '1' })).toEqual({
    state: 'pending',
    type: undefined,
  });
  expect(validate({ state: 7 })).toEqual({ state: undefined, type: undefined });
});

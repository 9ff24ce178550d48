import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedEntry, LARGEST_AUDIT_BYTES } from './audit-size.ts';

const addresses = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `198.51.${(from + n) >> 8}.${(from + n) & 255}/32`);

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a small entry stays as it is', () => {
  const entry = { before: { label: 'a' }, after: { label: 'b' } };
  expect(boundedEntry(entry)).toBe(entry);
});

test('of a large list that did not change, nothing is kept', () => {
  const allowed_ips = addresses(0, 1_000);
  const { before, after } = boundedEntry({
    before: { label: 'a', allowed_ips },
    after: { label: 'b', allowed_ips, portal_session: 'pse_1' },
  });
  expect(before).toEqual({ label: 'a' });
  expect(after).toEqual({
    label: 'b',
    portal_session: 'pse_1',
    left_out: { allowed_ips: 2 * bytesOf(allowed_ips) },
  });
});

test('of a large list that changed, what was added and removed is kept', () => {
  const { before, after } = boundedEntry({
    before: { allowed_ips: addresses(0, 1_000) },
    after: { allowed_ips: addresses(2, 1_001) },
  });
  expect(before).toEqual({ allowed_ips: addresses(0, 2) });
  expect(after).toMatchObject({ allowed_ips: addresses(1_000, 1_001), left_out: {} });
});

test('of what is large and new, the beginning is kept', () => {
  const { after } = boundedEntry({
    before: null,
    after: { note_id: 'not_1', text: 'ü'.repeat(4_000) },
  });
  expect(after).toMatchObject({ note_id: 'not_1', text: expect.stringMatching(/^ü{1000,}…$/) });
});

test('no entry is larger than its bound, and each that was cut says so', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 6_000 }),
    fc.array(fc.string({ maxLength: 40 }), { maxLength: 300 }),
    fc.integer(),
    fc.constant(null),
    fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 200 }), { maxKeys: 60 }),
  );
  const names = fc.constantFrom('label', 'allowed_ips', 'url', 'headers', 'filter', 'name');
  const side = fc.option(fc.dictionary(names, value), { nil: null });
  fc.assert(
    fc.property(side, side, (before, after) => {
      const bounded = boundedEntry({ before, after });
      const size = bytesOf(bounded.before) + bytesOf(bounded.after);
      expect(size).toBeLessThanOrEqual(LARGEST_AUDIT_BYTES);
      const isCut = bytesOf(before) + bytesOf(after) > LARGEST_AUDIT_BYTES;
      const told = (bounded.after ?? bounded.before)?.left_out;
      expect(told !== undefined).toBe(isCut);
    }),
  );
});

import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replyText } from './reply.ts';

const shown = (reply: unknown, columns?: number) =>
  stripVTControlCharacters(replyText(reply, columns));

test('a record has one line per field, by its own name, and its lists below', () => {
  const reply = {
    key_id: '7',
    label: null,
    is_active: true,
    allowed_ips: ['::1', '10.0.0.0/8'],
    created_at: '2026-01-31T12:00:05.123Z',
    last_attempt: { outcome: 'delivered', request: { headers: {} } },
    warnings: [{ code: 'w', detail: 'Mind it.' }],
  };
  expect(shown(reply)).toBe(`key_id                7
is_active             yes
allowed_ips           ::1, 10.0.0.0/8
created_at            2026-01-31 12:00:05Z
last_attempt.outcome  delivered

warnings
code  detail
w     Mind it.`);
  expect(shown(null)).toBe('Done.');
  expect(shown({ items: [], next_cursor: null })).toBe('There are none.');
});

test('a table has the columns that fit, its own fields first', () => {
  const item = { id: 'aud_1', before: { label: 'x' }, actor: 'a'.repeat(30), action: 'revoke' };
  const reply = { items: [item], next_cursor: 'c' };
  const actor = 'actor'.padEnd(30);
  expect(shown(reply)).toBe(
    `id     ${actor}  action  before.label\naud_1  ${item.actor}  revoke  x`,
  );
  expect(shown(reply, 60)).toBe(shown(reply));
  expect(shown(reply, 58)).toBe(
    `id     ${actor}  action\naud_1  ${item.actor}  revoke\n1 more field: --json shows all.`,
  );
  expect(shown(reply, 30)).toBe(
    'id     action  before.label\naud_1  revoke  x\n1 more field: --json shows all.',
  );
  expect(shown(reply, 1)).toBe('id\naud_1\n3 more fields: --json shows all.');
});

test('a terminal obeys nothing in a reply, neither in values nor in names', () => {
  const hostile = fc.string({ unit: 'binary' });
  const inner = fc.dictionary(hostile, hostile, { maxKeys: 2 });
  const record = fc.dictionary(hostile, fc.oneof(hostile, inner), { maxKeys: 4 });
  fc.assert(
    fc.property(record, fc.array(record, { maxLength: 3 }), (facts, items) => {
      const text = shown({ ...facts, items }, 80);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

import { expect, test } from 'vitest';
import type { Call } from '../../api/types.ts';
import { alike } from './alike.ts';

const call = (different: Partial<Call>) =>
  ({ key_id: '1', code: 'unknown', address: '192.0.2.1', sampled_from: 1, ...different }) as Call;

test('calls of the same kind are one row, where the newest of them is', () => {
  const rows = alike([
    call({ request_id: 'e' }),
    call({ request_id: 'd', sampled_from: 40 }),
    call({ request_id: 'c', address: '192.0.2.2' }),
    call({ request_id: 'b' }),
    call({ request_id: 'a', key_id: '2' }),
  ]);
  const shown = rows.map(({ newest, lines, calls }) => [newest.request_id, lines.length, calls]);
  expect(shown).toEqual([
    ['e', 3, 42],
    ['c', 1, 1],
    ['a', 1, 1],
  ]);
});

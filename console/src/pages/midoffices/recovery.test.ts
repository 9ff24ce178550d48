import { expect, test } from 'vitest';
import type { SupportApi } from '../../api/support-api.ts';
import type { RecoveryInput } from '../../api/types.ts';
import { recoverInSteps } from './recovery.ts';

const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

/** A midoffice with this many deliveries to recover. It answers as the server does. */
function midofficeWith(givenUp: number) {
  const calls: RecoveryInput[] = [];
  let left = givenUp;
  const recover = async (_id: string, input: RecoveryInput) => {
    calls.push(input);
    const requeued = Math.min(left, input.limit ?? left);
    left -= requeued;
    return { requeued, remaining: left };
  };
  return { api: { midoffices: { recover } } as unknown as SupportApi, calls };
}

test('recovers exactly what was counted, in steps, and reports each step', async () => {
  const { api, calls } = midofficeWith(500);
  const told: number[] = [];
  const stop = new AbortController();
  const done = await recoverInSteps(api, 'mid_1', span, 500, (n) => told.push(n), stop.signal);
  expect(done).toBe(500);
  expect(calls).toHaveLength(20);
  expect(calls.every(({ since, until }) => since === span.since && until === span.until)).toBe(
    true,
  );
  expect(told.at(-1)).toBe(500);
});

test('stops when aborted, and when someone else has recovered the rest', async () => {
  const { api } = midofficeWith(500);
  const stop = new AbortController();
  const done = await recoverInSteps(api, 'mid_1', span, 500, () => stop.abort(), stop.signal);
  expect(done).toBe(25);
  const { api: other } = midofficeWith(10);
  expect(await recoverInSteps(other, 'm', span, 500, () => {}, new AbortController().signal)).toBe(
    10,
  );
});

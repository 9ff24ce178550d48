import { expect, test } from 'vitest';
import type { EnvironmentCall, EnvironmentInput } from '../../api/client.ts';
import type { RecoveryInput } from '../../api/types.ts';
import { recoverInSteps } from './recovery.ts';

const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };

/** A midoffice with this many deliveries to recover. It answers as the server does. */
function midofficeWith(givenUp: number) {
  const calls: RecoveryInput[] = [];
  let left = givenUp;
  const recover = async (_: 'recoverMidoffice', { body }: EnvironmentInput<'recoverMidoffice'>) => {
    calls.push(body);
    const requeued = Math.min(left, body.limit ?? left);
    left -= requeued;
    return { requeued, remaining: left };
  };
  return { call: recover as EnvironmentCall, calls };
}

test('recovers exactly what was counted, in steps, and reports each step', async () => {
  const { call, calls } = midofficeWith(500);
  let told = 0;
  const stop = new AbortController();
  const done = await recoverInSteps(
    call,
    'mid_1',
    span,
    500,
    ({ count }) => (told += count),
    stop.signal,
  );
  expect(done).toBe(500);
  expect(calls).toHaveLength(20);
  expect(calls.every(({ since, until }) => since === span.since && until === span.until)).toBe(
    true,
  );
  expect(told).toBe(500);
});

test('stops when aborted, and when someone else has recovered the rest', async () => {
  const { call } = midofficeWith(500);
  const stop = new AbortController();
  const done = await recoverInSteps(call, 'mid_1', span, 500, () => stop.abort(), stop.signal);
  expect(done).toBe(25);
  const { call: other } = midofficeWith(10);
  expect(await recoverInSteps(other, 'm', span, 500, () => {}, new AbortController().signal)).toBe(
    10,
  );
});

/**
 * The limiter's rule, computed the slow way from a list of everything that was ever admitted, and callers
 * to test it with: some wait, some do not, some call exactly on the edge.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Standing, Window } from '../src/limiter/limiter.ts';

/** What a caller does before its next request. */
type Wait = number | 'until the reset' | 'until just before the reset' | 'for Retry-After';

export interface Call {
  wait: Wait;
  window: Window;
}

/** Eighths of a millisecond add up without rounding, so that the oracle can demand equality. */
const EIGHTH_MS = 1 / 8;

const waits: fc.Arbitrary<Wait> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((n) => n * EIGHTH_MS) },
  fc.constantFrom<Wait[]>('until the reset', 'until just before the reset', 'for Retry-After'),
);

export function callsTo(windows: fc.Arbitrary<Window>): fc.Arbitrary<Call[]> {
  return fc.array(fc.record({ wait: waits, window: windows }), { maxLength: 120, size: 'max' });
}

export interface Subject {
  pass(ms: number): void;
  admit(window: Window): Standing;
  standing(window: Window): Standing;
}

/** Makes the calls, checks every answer against the rule, and returns what was admitted. */
export function holdToTheRule(subject: Subject, calls: Call[]): number[] {
  const admittedMs: number[] = [];
  let nowMs = 0;
  for (const { wait, window } of calls) {
    const before = ruleSays(admittedMs, nowMs, window);
    const waitMs = lengthOf(wait, before.resetInMs);
    nowMs += waitMs;
    subject.pass(waitMs);

    const { admitted, ...standing } = ruleSays(admittedMs, nowMs, window);
    expect(subject.standing(window)).toEqual({ admitted, ...standing });
    const waitedAsTold = wait === 'until the reset' || wait === 'for Retry-After';
    if (before.remaining === 0 && waitedAsTold) expect(admitted).toBe(true);

    if (admitted) admittedMs.push(nowMs);
    const after = ruleSays(admittedMs, nowMs, window);
    expect(subject.admit(window)).toEqual({ ...after, admitted });
  }
  return admittedMs;
}

function ruleSays(admittedMs: number[], nowMs: number, { requests, seconds }: Window): Standing {
  const spanMs = seconds * 1_000;
  const counted = admittedMs.filter((atMs) => nowMs - atMs < spanMs);
  const remaining = Math.max(requests - counted.length, 0);
  const awaited = remaining > 0 ? 0 : counted.length - requests;
  const resetInMs = counted.length === 0 ? 0 : (counted[awaited] as number) + spanMs - nowMs;
  return { admitted: remaining > 0, remaining, resetInMs };
}

function lengthOf(wait: Wait, resetInMs: number): number {
  if (wait === 'until the reset') return resetInMs;
  if (wait === 'until just before the reset') return Math.max(resetInMs - EIGHTH_MS, 0);
  if (wait === 'for Retry-After') return Math.ceil(resetInMs / 1_000) * 1_000;
  return wait;
}

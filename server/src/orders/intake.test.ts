import { expect, test } from 'vitest';
import { createIntake, MOST_BODY_BYTES, MOST_WAITING_EVENTS } from './intake.ts';

const MIB = 1_048_576;

function intakeWith(waitingEvents = 0) {
  const refusals: number[] = [];
  const intake = createIntake(
    () => waitingEvents,
    () => refusals.push(1),
  );
  return { intake, refusals };
}

test('takes bodies in up to the bound, and more once one has left', () => {
  const { intake, refusals } = intakeWith();
  const leaves = Array.from({ length: MOST_BODY_BYTES / MIB }, () => intake.enter(MIB));
  expect(leaves).not.toContain(undefined);
  expect(intake.enter(1)).toBeUndefined();
  leaves[0]?.();
  // Leaving twice must not make room for two.
  leaves[0]?.();
  expect(intake.enter(MIB)).toBeDefined();
  expect(intake.enter(1)).toBeUndefined();
  expect(refusals).toHaveLength(2);
});

test('takes one body of any size in while there is no other', () => {
  const { intake } = intakeWith();
  const leave = intake.enter(2 * MOST_BODY_BYTES);
  expect(leave).toBeDefined();
  expect(intake.enter(1)).toBeUndefined();
  leave?.();
  expect(intake.enter(2 * MOST_BODY_BYTES)).toBeDefined();
});

test('counts a body of unannounced length as more than nothing', () => {
  const { intake } = intakeWith();
  let entered = 0;
  while (entered < 10_000 && intake.enter(undefined)) entered++;
  expect(entered).toBeGreaterThan(10);
  expect(entered).toBeLessThan(10_000);
});

test('refuses while too many events wait to be stored', () => {
  expect(intakeWith(MOST_WAITING_EVENTS - 1).intake.enter(10)).toBeDefined();
  expect(intakeWith(MOST_WAITING_EVENTS).intake.enter(10)).toBeUndefined();
});

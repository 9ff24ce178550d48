import { expect, test } from 'vitest';
import { type ArrivingBody, createIntake, MOST_BODY_BYTES, MOST_WAITING_EVENTS } from './intake.ts';

const MIB = 1_048_576;

function intakeWith(waitingEvents = 0) {
  const refused: string[] = [];
  let refusals = 0;
  const intake = createIntake(
    () => waitingEvents,
    () => refusals++,
  );
  return {
    enter: intake.enter,
    refusals: () => refusals,
    /** The names of the bodies that had to give way. */
    refused,
    arriving(name: string, bytes = 0): ArrivingBody {
      const body = intake.enter() as ArrivingBody;
      body.onRefused = () => refused.push(name);
      body.add(bytes);
      return body;
    },
  };
}

test('counts what has come, whatever else was announced', () => {
  const { enter, refused, arriving } = intakeWith();
  for (let i = 0; i < 10_000; i++) arriving(`silent ${i}`, 1);
  arriving('large', MOST_BODY_BYTES - 10_000);
  expect(enter()).toBeDefined();
  expect(refused).toEqual([]);
});

test('makes the largest body that is still arriving give way to the others', () => {
  const { refused, refusals, arriving } = intakeWith();
  const medium = arriving('medium', 4 * MIB);
  const large = arriving('large', MOST_BODY_BYTES - 5 * MIB);
  arriving('small', MIB);
  expect(refused).toEqual([]);
  medium.add(1);
  expect(refused).toEqual(['large']);
  expect(refusals()).toBe(1);
  // What it still sends counts no more, and its room is free.
  large.add(MOST_BODY_BYTES);
  large.leave();
  medium.add(MOST_BODY_BYTES - 6 * MIB);
  expect(refused).toEqual(['large']);
});

test('takes one body of any size in while there is no other', () => {
  const { refused, arriving } = intakeWith();
  arriving('alone', 2 * MOST_BODY_BYTES).leave();
  expect(refused).toEqual([]);
  arriving('first', 2 * MOST_BODY_BYTES);
  arriving('second', 1);
  expect(refused).toEqual(['first']);
});

test('takes no more in while complete bodies fill the room, and again once one has left', () => {
  const { enter, refused, refusals, arriving } = intakeWith();
  const complete = arriving('complete', MOST_BODY_BYTES - MIB);
  complete.arrived();
  const other = arriving('other', MIB);
  other.arrived();
  expect(enter()).toBeUndefined();
  expect(refusals()).toBe(1);
  other.leave();
  // Leaving twice must not make room for two.
  other.leave();
  const late = arriving('late', MIB);
  late.add(1);
  // Complete bodies do not give way.
  expect(refused).toEqual(['late']);
  complete.leave();
  expect(enter()).toBeDefined();
});

test('refuses while too many events wait to be stored', () => {
  expect(intakeWith(MOST_WAITING_EVENTS - 1).enter()).toBeDefined();
  expect(intakeWith(MOST_WAITING_EVENTS).enter()).toBeUndefined();
});

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { stopAsked } from './stop-asked.ts';

function surroundings({ isUnderNpm }: { isUnderNpm: boolean }) {
  const state = { timeMs: 0, ended: false };
  const events = new EventEmitter();
  const given = {
    events,
    isUnderNpm,
    nowMs: () => state.timeMs,
    end: () => {
      state.ended = true;
    },
  };
  return { state, events, given };
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'])('%s asks to stop', async (signal) => {
  const { state, events, given } = surroundings({ isUnderNpm: false });
  const stopping = stopAsked(undefined, given);
  events.emit(signal);
  await stopping;
  expect(state.ended).toBe(false);
});

test('a second Ctrl-C ends the process at once', () => {
  const { state, events, given } = surroundings({ isUnderNpm: false });
  void stopAsked(undefined, given);
  events.emit('SIGINT');
  expect(state.ended).toBe(false);
  events.emit('SIGINT');
  expect(state.ended).toBe(true);
});

test('a Ctrl-C that npm passes on is not a second one', () => {
  const { state, events, given } = surroundings({ isUnderNpm: true });
  void stopAsked(undefined, given);
  events.emit('SIGINT');
  state.timeMs += 100;
  events.emit('SIGINT');
  expect(state.ended).toBe(false);
  state.timeMs += 1_000;
  events.emit('SIGINT');
  expect(state.ended).toBe(true);
});

test.each(['SIGTERM', 'SIGINT'])('a second %s shortens what can be shortened', (signal) => {
  const { state, events, given } = surroundings({ isUnderNpm: false });
  let waits = true;
  const hurry = () => {
    const was = waits;
    waits = false;
    return was;
  };
  void stopAsked(undefined, { ...given, hurry });
  events.emit(signal);
  expect(waits).toBe(true);
  events.emit(signal);
  expect({ waits, ...state }).toMatchObject({ waits: false, ended: false });
  events.emit(signal);
  // As without a wait: only Ctrl-C ends it.
  expect(state.ended).toBe(signal === 'SIGINT');
});

test('a supervisor that asks again does not cut the stop short', () => {
  const { state, events, given } = surroundings({ isUnderNpm: false });
  void stopAsked(undefined, given);
  for (const signal of ['SIGTERM', 'SIGTERM', 'SIGHUP', 'SIGTERM']) events.emit(signal);
  expect(state.ended).toBe(false);
});

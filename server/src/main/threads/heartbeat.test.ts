import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BEAT_MS, LOST_AFTER_BEATS, SILENT_AFTER_BEATS, startHeartbeat } from './heartbeat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const other = { answers: true, lost: 0 };
  const heartbeat = startHeartbeat(
    () => (other.answers ? Promise.resolve() : new Promise(() => {})),
    () => {
      other.lost++;
    },
  );
  return { other, heartbeat };
}

const beats = (count: number) => vi.advanceTimersByTimeAsync(count * BEAT_MS);

test('a thread that answers is neither silent nor lost', async () => {
  const { other, heartbeat } = watched();
  await beats(10 * LOST_AFTER_BEATS);
  expect(heartbeat.isSilent()).toBe(false);
  expect(other.lost).toBe(0);
});

test('a thread that stops answering is silent until it answers again', async () => {
  const { other, heartbeat } = watched();
  other.answers = false;
  await beats(SILENT_AFTER_BEATS);
  expect(heartbeat.isSilent()).toBe(false);
  await beats(1);
  expect(heartbeat.isSilent()).toBe(true);
  other.answers = true;
  await beats(1);
  expect(heartbeat.isSilent()).toBe(false);
});

test('a thread that stays silent is reported as lost, once', async () => {
  const { other } = watched();
  other.answers = false;
  await beats(LOST_AFTER_BEATS);
  expect(other.lost).toBe(0);
  await beats(LOST_AFTER_BEATS);
  expect(other.lost).toBe(1);
});

test('time during which the process is suspended does not count', async () => {
  const { other, heartbeat } = watched();
  other.answers = false;
  vi.setSystemTime(Date.now() + 86_400_000);
  await beats(1);
  expect(heartbeat.isSilent()).toBe(false);
  expect(other.lost).toBe(0);
});

test('reports nothing after it was stopped', async () => {
  const { other, heartbeat } = watched();
  other.answers = false;
  heartbeat.stop();
  await beats(2 * LOST_AFTER_BEATS);
  expect(other.lost).toBe(0);
});

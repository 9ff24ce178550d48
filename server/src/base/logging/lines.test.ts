import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LONGEST_BACKLOG_BYTES, LogLines } from './lines.ts';
import type { LogOutput } from './output.ts';

const LINE = `{"text":"${'é'.repeat(500)}"}\n`;
const LINE_BYTES = Buffer.byteLength(LINE);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A disk that accepts what it has room for, then refuses with ENOSPC. */
class Disk implements LogOutput {
  roomBytes = 0;
  refusals = 0;
  #bytes: Uint8Array[] = [];

  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void {
    const written = bytes.slice(0, this.roomBytes);
    this.roomBytes -= written.length;
    this.#bytes.push(written);
    if (written.length === 0) this.refusals++;
    const error = written.length > 0 ? null : new Error('ENOSPC: no space left on device, write');
    queueMicrotask(() => done(error, written.length));
  }

  writeAtExit(): void {}

  text(): string {
    return Buffer.concat(this.#bytes).toString();
  }

  /** Fails if a line is cut. */
  lines(): { dropped?: number; text?: string }[] {
    expect(this.text()).toMatch(/\n$/);
    return this.text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
}

function open() {
  const disk = new Disk();
  const counted = { dropped: 0 };
  const lines = new LogLines({
    output: disk,
    onDropped: (count) => {
      counted.dropped += count;
    },
  });
  onTestFinished(() => lines.end());
  return { disk, counted, lines };
}

/** Long enough for collected lines to be written, or for a write to be retried. */
const flushed = () => vi.advanceTimersByTimeAsync(500);

test('what a full disk refuses is kept, and later continues where it was cut', async () => {
  const { disk, counted, lines } = open();
  disk.roomBytes = 1.5 * LINE_BYTES;
  for (let n = 0; n < 10; n++) lines.write(LINE);
  await flushed();
  expect(disk.refusals).toBe(1);
  expect(disk.text()).not.toMatch(/\n$/);
  disk.roomBytes = Infinity;
  await flushed();
  expect(disk.lines()).toHaveLength(10);
  expect(counted.dropped).toBe(0);
});

test('beyond the longest backlog, lines are dropped and counted, and one line reports them', async () => {
  const { disk, counted, lines } = open();
  const written = Math.ceil((2 * LONGEST_BACKLOG_BYTES) / LINE_BYTES);
  for (let n = 0; n < written; n++) lines.write(LINE);
  await flushed();
  expect(counted.dropped).toBeGreaterThan(0);
  expect(counted.dropped).toBeLessThan(written);
  disk.roomBytes = Infinity;
  await flushed();
  lines.write(LINE);
  await lines.end();
  expect(disk.lines().filter(({ dropped }) => dropped !== undefined)).toMatchObject([
    { level: 'warn', dropped: counted.dropped, error: expect.stringContaining('ENOSPC') },
  ]);
  expect(disk.lines().filter(({ text }) => text)).toHaveLength(written + 1 - counted.dropped);
});

test('a line longer than the backlog is dropped, but not the next one', async () => {
  const { disk, counted, lines } = open();
  disk.roomBytes = Infinity;
  lines.write(`${'x'.repeat(LONGEST_BACKLOG_BYTES)}\n`);
  expect(counted.dropped).toBe(1);
  lines.write(LINE);
  await flushed();
  expect(disk.lines().map(({ dropped }) => dropped)).toEqual([undefined, 1]);
});

test('lines of another thread are written whole, between those of this thread', async () => {
  const { disk, counted, lines } = open();
  disk.roomBytes = Infinity;
  for (let n = 0; n < 50; n++) {
    lines.write(LINE);
    lines.take(Buffer.from(LINE.repeat(20)), 1);
  }
  await lines.end();
  expect(disk.lines()).toHaveLength(50 * 21);
  expect(counted.dropped).toBe(50);
});

test('at the end, the rest is tried exactly once more', async () => {
  const { disk, lines } = open();
  lines.write(LINE);
  await flushed();
  await lines.end();
  await flushed();
  expect(disk.refusals).toBe(2);
});

test('an output that never answers does not delay the end', async () => {
  const lines = new LogLines({
    output: { write() {}, writeAtExit() {} },
    onDropped() {},
  });
  lines.write(LINE);
  const ended = lines.end();
  await vi.advanceTimersByTimeAsync(1_000);
  await ended;
});

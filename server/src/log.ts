/**
 * One wide JSON line per request and per webhook attempt, on stderr (stdout belongs to the start-up
 * text and the ready line). Written in the background in blocks: a write per request would cost more
 * than answering it. No line ever holds an API key, a token or an Authorization header.
 */
import pino from 'pino';

export type Log = pino.Logger;

const BLOCK_BYTES = 65_536;
const LONGEST_CHARACTER_BYTES = 3;
const FLUSH_MS = 500;

export function createLog(level: string): Log & { end(): Promise<void> } {
  const blocks = new Blocks();
  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeOfLine(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    blocks,
  );
  return Object.assign(log, { end: () => blocks.end() });
}

/**
 * A line at level info whose fields are JSON already, for what is written on every request: pino
 * takes 6 µs to put such a line together, which was a sixth of the whole overview call.
 */
export function writeInfo(log: Log, fields: string): void {
  if (!log.isLevelEnabled('info')) return;
  const { [pino.symbols.streamSym]: stream } = log as unknown as Record<symbol, Blocks>;
  stream?.write(`{"level":"info","time":"${timeOfLine(Date.now())}",${fields}}\n`);
}

/**
 * Gathers lines before pino's destination sees them, which copies all it holds with each one that
 * comes. As bytes: a string that grows line by line took three times as long to write out.
 */
class Blocks {
  readonly #destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: 1,
    contentMode: 'buffer',
  });
  readonly #flushing = setInterval(() => this.#pass(), FLUSH_MS).unref();
  readonly #atExit = () => {
    this.#pass();
    this.#destination.flushSync();
  };
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #passed = 0;
  #used = 0;

  constructor() {
    process.once('exit', this.#atExit);
  }

  write(line: string): void {
    const bytes = line.length * LONGEST_CHARACTER_BYTES;
    if (this.#used + bytes > this.#block.length) {
      this.#pass();
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes));
      this.#passed = this.#used = 0;
    }
    this.#used += this.#block.write(line, this.#used);
  }

  end(): Promise<void> {
    this.#pass();
    clearInterval(this.#flushing);
    process.off('exit', this.#atExit);
    return new Promise((resolve) => {
      this.#destination.flush(() => resolve());
    });
  }

  #pass(): void {
    if (this.#used === this.#passed) return;
    this.#destination.write(this.#block.subarray(this.#passed, this.#used) as never);
    this.#passed = this.#used;
  }
}

let second = 0;
let textOfSecond = '';

/** ISO 8601 in UTC. The part down to the second is made once a second: a Date a line costs 1 µs. */
function timeOfLine(nowMs: number): string {
  const millisecond = nowMs % 1_000;
  if (nowMs - millisecond !== second) {
    second = nowMs - millisecond;
    textOfSecond = new Date(second).toISOString().slice(0, 20);
  }
  const padding = millisecond < 10 ? '00' : millisecond < 100 ? '0' : '';
  return `${textOfSecond}${padding}${millisecond}Z`;
}

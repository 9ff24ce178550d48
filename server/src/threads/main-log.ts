import type { LogOutput } from '../logging/output.ts';
import type { Link } from './link.ts';
import type { MainSide } from './main-side.ts';

/**
 * The services thread's log goes out through the main thread's, which writes one block at a time:
 * two threads that write to one pipe would interrupt each other's lines.
 */
export function outputThrough(main: Link<MainSide>): {
  output: LogOutput;
  onDropped(lines: number): void;
} {
  let dropped = 0;
  async function send(bytes: Uint8Array): Promise<void> {
    const told = dropped;
    dropped = 0;
    // A copy, because otherwise the whole block that contains it would be sent.
    await main.call('takeLines', new Uint8Array(bytes), told);
  }
  return {
    output: {
      write(bytes, done) {
        send(bytes).then(
          () => done(null, bytes.length),
          (error) => done(error, 0),
        );
      },
      writeAtExit(bytes) {
        send(bytes).catch(() => {});
      },
    },
    onDropped(lines) {
      dropped += lines;
    },
  };
}

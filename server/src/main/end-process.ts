/** Ends a process in which something hangs. */
import { stderrOutput } from '../base/logging/output.ts';

/** Time to write a last sentence. */
const LAST_WORDS_MS = 200;

/** Resolves when the sentence is written or cannot be; unlike console.error it never blocks. */
export async function sayLast(sentence: string, output = stderrOutput()): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LAST_WORDS_MS);
    output.write(Buffer.from(`${sentence}\n`), () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * process.exit waits for every thread, even for one that hangs in a system call, such as a write to a
 * disk that does not answer or a look-up without a name server. Replacing the program ends them all.
 */
export function endNow(code: number): never {
  process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
  process.exit(code);
}

/** `bellhop [command]`. What the exit codes mean is in failures.ts and, for `serve`, in serve-exits.ts. */
import { endWithReader } from '@bellhop/partner/command-line';
import { CommanderError } from '@commander-js/extra-typings';
import { CommandFailed, outsideTrouble, UsageError } from './failures.ts';
import { loadProgram } from './program.ts';
import { exitOfRefusal } from './serve-exits.ts';

const LEFTOVERS_MS = 500;

/** Sets `process.exitCode`. Without a command it serves, so that `npx bellhop` alone starts a server. */
export async function runCli(given: string[]): Promise<void> {
  // Other programs print their version with either letter.
  const args = given.length === 0 ? ['serve'] : given.map((one) => (one === '-V' ? '-v' : one));
  if (args[0] !== 'serve') endWithReader();
  try {
    const program = await loadProgram(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Thrown to end the parsing after the help or the version was printed.
    if (error instanceof CommanderError) return;
    const { code, sentence } = await failureOf(error, args[0]);
    process.exitCode = code;
    console.error(sentence);
    // What the command has left open must not keep the process alive.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}

/** Rethrows what is a defect of Bellhop. */
export async function failureOf(
  error: unknown,
  command: string | undefined,
): Promise<{ code: number; sentence: string }> {
  const sentence = (error as Error).message;
  if (error instanceof UsageError) return { code: 2, sentence };
  if (error instanceof CommandFailed) return { code: 1, sentence };
  // Loaded only now, because the help does not need them.
  const { ConfigError, PreconditionFailed } = await import('../base/config/config.ts');
  const isServer = command === 'serve';
  if (isServer && error instanceof ConfigError) {
    return { code: exitOfRefusal(error.refusal), sentence };
  }
  if (error instanceof PreconditionFailed) return { code: 1, sentence };
  if (error instanceof ConfigError) return { code: 2, sentence };
  const { DatabaseAway } = await import('../base/database-errors.ts');
  if (error instanceof DatabaseAway) {
    const code = isServer ? exitOfRefusal('unavailable') : 1;
    return { code, sentence: `${sentence}. Try again later.` };
  }
  const trouble = outsideTrouble(error);
  if (trouble !== undefined) return { code: 1, sentence: trouble };
  throw error;
}

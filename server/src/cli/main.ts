/** `bellhop <command>`. Exit codes: 0 success, 1 the command or a check failed, 2 bad usage. */
import { CommanderError } from '@commander-js/extra-typings';
import { CommandFailed, UsageError } from './failures.ts';
import { loadProgram } from './program.ts';

/** Sets `process.exitCode`. */
export async function runCli(args: string[]): Promise<void> {
  const [name] = args;
  if (name !== 'serve') endWithReader();
  try {
    const program = await loadProgram(args);
    if (name === undefined) {
      program.outputHelp();
      process.exitCode = 2;
      return;
    }
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Thrown to end the parsing after the help or the version was printed.
    if (error instanceof CommanderError) return;
    process.exitCode = await exitCodeOf(error);
    console.error((error as Error).message);
  }
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof UsageError) return 2;
  if (error instanceof CommandFailed) return 1;
  // Loaded only now, because the help does not need the settings.
  const { ConfigError } = await import('../config/config.ts');
  if (error instanceof ConfigError) return 2;
  throw error;
}

/** `bellhop listen | head -1`: once the reader has gone, there is nothing left to do. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** `bellhop [command]`. Exit codes: 0 success, 1 the command or a check failed, 2 bad usage. */
import { CommanderError } from '@commander-js/extra-typings';
import { CommandFailed, UsageError } from './failures.ts';
import { loadProgram } from './program.ts';

/** Sets `process.exitCode`. Without a command it serves, so that `npx bellhop` alone starts a server. */
export async function runCli(given: string[]): Promise<void> {
  const args = given.length === 0 ? ['serve'] : given;
  if (args[0] !== 'serve') endWithReader();
  try {
    const program = await loadProgram(args);
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

/**
 * The ways in which a command ends badly. People see the message, and no stack. One rule for all commands: the exit
 * code is 2 if an argument or a setting has to change, because it is invalid or names the wrong thing, and 1 if
 * those are right but something else has to change first. Below the command line, `ConfigError` and
 * `PreconditionFailed` are the same two.
 */

/** The command cannot work as it was called: exit 2. */
export class UsageError extends Error {}

/** Valid usage, but the command or a check failed: exit 1. */
export class CommandFailed extends Error {}

/**
 * What refused a command from outside, as a sentence: the file system, PostgreSQL or SQLite. Undefined for any
 * other error: that is a defect of Bellhop, and its stack helps to find it.
 */
export function outsideTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { syscall, severity, code } = error as NodeJS.ErrnoException & { severity?: unknown };
  const repeat = 'Correct the cause and run the command again.';
  if (syscall !== undefined) return `The system refused: ${error.message}. ${repeat}`;
  if (severity !== undefined) return `PostgreSQL refused: ${error.message}. ${repeat}`;
  if (code === 'ERR_SQLITE_ERROR')
    return `A database file cannot be used: ${error.message}. ${repeat}`;
  return undefined;
}

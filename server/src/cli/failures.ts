/** The ways in which a command ends badly. People see the message, and no stack. */

/** The command cannot work as it was called: exit 2. */
export class UsageError extends Error {}

/** Valid usage, but the command failed: exit 1. */
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

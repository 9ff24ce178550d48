/**
 * The ways in which a command ends badly: `UsageError`, exit 2, and `CommandFailed`, exit 1. Below the command line,
 * `ConfigError` and `PreconditionFailed` are the same two.
 */
import { REPEAT, systemTrouble } from '@bellhop/partner/command-line';

export { CommandFailed, UsageError } from '@bellhop/partner/command-line';

/**
 * What refused a command from outside, as a sentence: the file system, PostgreSQL or SQLite. Undefined for any
 * other error: that is a defect of Bellhop, and its stack helps to find it.
 */
export function outsideTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { severity, code } = error as NodeJS.ErrnoException & { severity?: unknown };
  const refused = systemTrouble(error);
  if (refused !== undefined) return refused;
  if (severity !== undefined) return `PostgreSQL refused: ${error.message}. ${REPEAT}`;
  if (code === 'ERR_SQLITE_ERROR')
    return `A database file cannot be used: ${error.message}. ${REPEAT}`;
  return undefined;
}

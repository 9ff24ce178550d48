/**
 * The ways in which a command ends badly. People see the message, and no stack. One rule for all commands: the exit
 * code is 2 if an argument or a setting has to change, because it is invalid or names the wrong thing, and 1 if
 * those are right but something else has to change first.
 */

/** The command cannot work as it was called: exit 2. */
export class UsageError extends Error {}

/** Valid usage, but the command or a check failed: exit 1. */
export class CommandFailed extends Error {}

export const REPEAT = 'Correct the cause and run the command again.';

/** What the operating system refused, as a sentence. Undefined for any other error. */
export function systemTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error)) return undefined;
  return `The system refused: ${error.message}. ${REPEAT}`;
}

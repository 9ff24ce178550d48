/** The two ways in which a command ends badly. Their messages are printed as they are. */

/** The command cannot work as it was called: exit 2. */
export class UsageError extends Error {}

/** Valid usage, but the command failed: exit 1. */
export class CommandFailed extends Error {}

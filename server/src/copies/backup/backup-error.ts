/** A backup or a restore did not succeed. The message says what to do next. */
export class BackupError extends Error {}

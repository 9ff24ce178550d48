/**
 * The database cannot be reached, or did not answer in time. A write that failed with this error may
 * still have succeeded.
 */
export class DatabaseAway extends Error {}

/** What people read, waiting and running together. */
export const READ_TIMEOUT_MS = 10_000;
/** Statements of one caller. A page of the console asks for a dozen things at once. */
export const MOST_WAITING_READS = 50;

/** What somebody wanted to read took too long, or waited too long behind what others read. */
export class ReadTimedOut extends Error {}

/** Too much of what one caller reads is waiting already. */
export class TooManyReads extends Error {}

/** It was given up for the time it took; the database is there. The code is PostgreSQL's. */
export function isTooSlow(error: unknown): boolean {
  if (error instanceof ReadTimedOut || error instanceof TooManyReads) return true;
  return (error as { code?: string }).code === '57014';
}

/** PostgreSQL has ended one of two transactions that waited for each other; it can be repeated. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: string }).code === '40P01';
}

/** The database of an environment while it does not answer. */
export interface Outage {
  /** Whether it does not answer now. What is not known here cannot be looked up then. */
  isAway(): boolean;
  /** Whether calls of known keys may go on without it, and what they have to save may wait. */
  mayGoOn(): boolean;
  /**
   * Why it lets nobody in, without a full stop, if that is how the latest connection ended; connections that are open
   * may go on.
   */
  refusal(): string | undefined;
  /** How long ago it last answered; a fraction of a second while it does. */
  silentForMs(): number;
}

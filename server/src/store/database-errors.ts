/**
 * The database cannot be reached, or did not answer in time. A write that failed with this error may
 * still have succeeded.
 */
export class DatabaseAway extends Error {}

/** PostgreSQL has ended one of two transactions that waited for each other; it can be repeated. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: string }).code === '40P01';
}

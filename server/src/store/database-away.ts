/**
 * The database cannot be reached, or did not answer in time. A write that failed with this error may
 * still have succeeded.
 */
export class DatabaseAway extends Error {}

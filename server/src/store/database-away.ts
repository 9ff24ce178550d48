/**
 * The database cannot be reached, or did not answer in time. Something that was being written may
 * have been written all the same.
 */
export class DatabaseAway extends Error {}

/** How often an open page asks again. */

/** What happens by the minute: webhooks, refusals, the use of limits. */
export const OFTEN_MS = 15_000;
/** What changes by the hour or by the day, such as keys and their history. */
export const RARELY_MS = 60_000;

/** How often an open page asks again. */
export const POLL_MS = 15_000;

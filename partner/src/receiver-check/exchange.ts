/** What the check needs from outside: something that posts one request, and says how it was answered. */

export interface Answered {
  kind: 'answered';
  status: number;
  /** The first 4 KiB of the reply's body. */
  replyExcerpt: string;
  durationMs: number;
}

export interface Failed {
  kind: 'failed';
  /** One of failures.ts, or one that only the sender knows. */
  code: string;
  /** A sentence. */
  message: string;
  /** For the receiver's developers, if there is anything that they can do. */
  fix?: string | undefined;
  durationMs: number;
}

export interface ToPost {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** For the whole exchange, from the lookup of the name to the last byte of the reply. */
  timeoutMs: number;
  /** Ends the exchange early; it then fails with `aborted`. */
  signal?: AbortSignal | undefined;
}

/**
 * Uses a connection of its own, so that a receiver that closes one after a bad request does not affect the next
 * one. Follows no redirect. Always resolves: a failure is an outcome too.
 */
export type Post = (request: ToPost) => Promise<Answered | Failed>;

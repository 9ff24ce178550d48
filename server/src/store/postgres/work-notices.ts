/**
 * LISTEN and NOTIFY: a node that accepts an event wakes the workers of all nodes at once. A notice
 * may be lost with the connection. A connection that leads nowhere looks like one on which nothing
 * happens, so it is asked a question every few seconds; whenever a new one listens, the workers are
 * told to look at everything. Between the two, their own poll finds such work two seconds later.
 */
import type { Log } from '../../log.ts';
import { type Connection, SESSION } from './connection.ts';

export const CHANNEL = 'bellhop_work';
const LISTEN = `listen ${CHANNEL}`;
const RECONNECT_MS = 1_000;
const CHECK_MS = 2_000;
/** PostgreSQL takes at most 8,000 bytes; ids are 32. */
const IDS_PER_NOTICE = 200;

export interface WorkNotices {
  /** The listener hears of midoffices with new work; of none in particular: of any. */
  subscribe(listener: (midofficeIds: readonly string[]) => void): () => void;
  close(): Promise<void>;
}

export function payloads(midofficeIds: readonly string[]): string[] {
  const notices: string[] = [];
  for (let i = 0; i < midofficeIds.length; i += IDS_PER_NOTICE) {
    notices.push(midofficeIds.slice(i, i + IDS_PER_NOTICE).join());
  }
  return notices;
}

export function listenForWork(options: {
  /** A connection not yet connected; it gives up by itself when an answer is late. */
  newConnection(): Connection;
  log: Log;
  checkMs?: number;
  reconnectMs?: number;
}): WorkNotices {
  const { newConnection, log, checkMs = CHECK_MS, reconnectMs = RECONNECT_MS } = options;
  const listeners = new Set<(midofficeIds: readonly string[]) => void>();
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listening = false;
  let told = false;
  let closed = false;

  function tell(midofficeIds: readonly string[]): void {
    for (const listener of listeners) listener(midofficeIds);
  }

  async function connect(): Promise<void> {
    const next = newConnection();
    connection = next;
    next.on('notification', ({ payload }) => {
      const midofficeIds = (payload ?? '').split(',').filter((id) => id !== '');
      if (midofficeIds.length > 0) tell(midofficeIds);
    });
    next.on('end', () => lose());
    try {
      await next.connect();
      await next.query(SESSION);
      await next.query(LISTEN);
      if (closed) return;
      listening = true;
      told = false;
      timer = setTimeout(check, checkMs).unref();
      tell([]);
    } catch (error) {
      warn(error, 'work notices cannot be heard');
      next.giveUp(error as Error);
    }

    async function check(): Promise<void> {
      try {
        // Does nothing a second time, and leaves a name by which pg_stat_activity shows who listens.
        await next.query(LISTEN);
        if (listening && !closed) timer = setTimeout(check, checkMs).unref();
      } catch (error) {
        warn(error, 'work notices were lost');
        next.giveUp(error as Error);
      }
    }
  }

  function lose(): void {
    clearTimeout(timer);
    if (closed) return;
    if (listening) warn(undefined, 'work notices were lost');
    listening = false;
    timer = setTimeout(() => void connect(), reconnectMs).unref();
  }

  /** Once for each loss, not for every try to connect again. */
  function warn(error: unknown, text: string): void {
    if (!told && !closed) log.warn({ err: error }, text);
    told = true;
  }

  return {
    subscribe(listener) {
      // Only a node that delivers has a use for the connection.
      if (!connection) void connect();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await connection?.end().catch(() => {});
    },
  };
}

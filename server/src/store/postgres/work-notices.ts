/**
 * LISTEN and NOTIFY: tells the owner of a lane, on any node, about new work and changes, and tells all
 * nodes about free shards. Notices are lost if the connection is. A dead connection looks like an idle
 * one, so it is probed every few seconds. Whenever a new connection starts to listen, the workers are told
 * that notices may have been lost.
 */
import type { Notice } from '../../delivery/queue.ts';
import type { Log } from '../../log.ts';
import { type Connection, SESSION } from './connection.ts';

export const CHANNEL = 'bellhop_work';
const LISTEN = `listen ${CHANNEL}`;
const RECONNECT_MS = 1_000;
const CHECK_MS = 2_000;
/** PostgreSQL limits a payload to 8,000 bytes; an id has 32. */
const IDS_PER_NOTICE = 200;

type LanesNotice = Extract<Notice, { midofficeIds: readonly string[] }>;

/** The payloads are `work:id,id`, `changed:id,id` and `shards:`. */
export const noticeOfShards = 'shards:';

export interface WorkNotices {
  subscribe(listener: (notice: Notice) => void): () => void;
  close(): Promise<void>;
}

export function payloads(kind: LanesNotice['kind'], midofficeIds: readonly string[]): string[] {
  const notices: string[] = [];
  for (let i = 0; i < midofficeIds.length; i += IDS_PER_NOTICE) {
    notices.push(`${kind}:${midofficeIds.slice(i, i + IDS_PER_NOTICE).join()}`);
  }
  return notices;
}

/** Undefined if another program has sent something on our channel. */
function noticeFrom(payload: string): Notice | undefined {
  const [kind, ids = ''] = payload.split(':', 2);
  if (kind === 'shards') return { kind };
  if (kind !== 'work' && kind !== 'changed') return undefined;
  return { kind, midofficeIds: ids.split(',').filter((id) => id !== '') };
}

export function listenForWork(options: {
  /** Creates a connection that is not connected yet. It closes itself when an answer is late. */
  newConnection(): Connection;
  log: Log;
  checkMs?: number;
  reconnectMs?: number;
}): WorkNotices {
  const { newConnection, log, checkMs = CHECK_MS, reconnectMs = RECONNECT_MS } = options;
  const listeners = new Set<(notice: Notice) => void>();
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listening = false;
  let told = false;
  let closed = false;

  function tell(notice: Notice): void {
    for (const listener of listeners) listener(notice);
  }

  async function connect(): Promise<void> {
    const next = newConnection();
    connection = next;
    next.on('notification', ({ payload }) => {
      const notice = noticeFrom(payload ?? '');
      if (notice) tell(notice);
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
      tell({ kind: 'lost' });
    } catch (error) {
      warn(error, 'work notices cannot be heard');
      next.giveUp(error as Error);
    }

    async function check(): Promise<void> {
      try {
        // Listening again has no effect, and lets pg_stat_activity show who listens.
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

  /** Warns once per loss, not for every attempt to reconnect. */
  function warn(error: unknown, text: string): void {
    if (!told && !closed) log.warn({ err: error }, text);
    told = true;
  }

  return {
    subscribe(listener) {
      // Only a node that delivers needs the connection.
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

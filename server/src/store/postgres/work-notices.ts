/**
 * LISTEN and NOTIFY: a node that accepts an event wakes the workers of all nodes at once. A notice
 * may be lost with the connection; the workers' own poll finds such work two seconds later.
 */
import pg from 'pg';
import type { Log } from '../../log.ts';

export const CHANNEL = 'bellhop_work';
const RECONNECT_MS = 1_000;
/** PostgreSQL takes at most 8,000 bytes; ids are 32. */
const IDS_PER_NOTICE = 200;

export interface WorkNotices {
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

export function listenForWork(url: string, log: Log): WorkNotices {
  const listeners = new Set<(midofficeIds: readonly string[]) => void>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, application_name: 'bellhop work notices' });
    client = next;
    next.on('notification', ({ payload }) => {
      const midofficeIds = (payload ?? '').split(',').filter((id) => id !== '');
      for (const listener of listeners) listener(midofficeIds);
    });
    next.on('error', (error) => log.warn({ err: error }, 'work notices were lost'));
    next.once('end', () => {
      if (!closed) timer = setTimeout(() => void connect(), RECONNECT_MS).unref();
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'work notices cannot be heard');
      await next.end().catch(() => {});
    }
  }

  return {
    subscribe(listener) {
      // Only a node that delivers has a use for the connection.
      if (!client) void connect();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

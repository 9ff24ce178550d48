/**
 * LISTEN and NOTIFY: tells the owner of a lane, on any node, about new work and changes, and tells all
 * nodes about free shards. They are heard on the connection that watches for changes, which asks five times a second,
 * so one that leads nowhere is soon replaced. Notices are lost with a connection: whenever a new one listens, the
 * workers are told so, after the first poll, which may find a failover.
 */
import type { LanesNotice, Notice } from '../../delivery/queue.ts';
import type { Connection } from './connection.ts';

export const CHANNEL = 'bellhop_work';
/** PostgreSQL limits a payload to 8,000 bytes; an id has 32. */
const IDS_PER_NOTICE = 200;

/** The payloads are `work:id,id`, `changed:id,id` and `shards:`. */
export const noticeOfShards = 'shards:';

export interface WorkNotices {
  subscribe(listener: (notice: Notice) => void): () => void;
  /** For each new connection. */
  listenOn(connection: Connection): Promise<void>;
  /** The database was read over the connection: if it is a new one, the workers are told so. */
  caughtUp(): void;
  notify(notice: Notice): void;
}

export function payloads({ kind, midofficeIds }: LanesNotice): string[] {
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

export function workNotices(): WorkNotices {
  const listeners = new Set<(notice: Notice) => void>();
  let isNew = false;

  function notify(notice: Notice): void {
    for (const listener of listeners) listener(notice);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async listenOn(connection) {
      connection.on('notification', ({ payload }) => {
        const notice = noticeFrom(payload ?? '');
        if (notice) notify(notice);
      });
      await connection.query(`listen ${CHANNEL}`);
      isNew = true;
    },
    caughtUp() {
      if (!isNew) return;
      isNew = false;
      notify({ kind: 'lost' });
    },
    notify,
  };
}

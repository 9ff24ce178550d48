import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../base/clock.ts';
import type { ShardLeases } from '../../delivery/queue.ts';
import type { Writer } from './writing.ts';

/**
 * One process holds the folder, so it owns every shard and its leases never end. Taking the shards still
 * raises the epochs: an attempt that an earlier process started cannot be settled by this one.
 */
export function sqliteShards(writer: Writer, clock: Clock): ShardLeases {
  const { connection } = writer;
  const take = connection.prepare(
    'update shard set node = ?, epoch = epoch + 1, until = ? returning n as shard, epoch',
  );
  const held = connection.prepare('select n as shard, epoch from shard where node = ? order by n');
  const free = connection.prepare('update shard set node = null, until = 0 where node = ?');
  const forget = connection.prepare('delete from delivery_node');
  const enter = connection.prepare(
    'insert into delivery_node (id, host, since, until) values (?, ?, ?, ?)',
  );
  const FOR_EVER = Number.MAX_SAFE_INTEGER;
  type Held = { shard: number; epoch: number };

  return {
    leaseMs: Number.POSITIVE_INFINITY,

    async renew({ id }) {
      const rows = held.all(id) as Held[];
      return { held: rows, nodes: 1, free: rows.length > 0 ? 0 : FOR_EVER };
    },

    async take({ id, host }) {
      return writer.durable(() => {
        forget.run();
        enter.run(id, host, clock.now(), FOR_EVER);
        return take.all(id, FOR_EVER) as Held[];
      });
    },

    async release() {},

    async leave({ id }) {
      await writer.durable(() => {
        free.run(id);
        forget.run();
      });
    },
  };
}

/**
 * For a process that has just locked the folder. Owners in the tables are then left over from a process
 * that crashed. If this process does not deliver, nobody else would remove them.
 */
export function releaseDeadOwners(connection: DatabaseSync): void {
  connection.exec(`
    update shard set node = null, until = 0 where node is not null;
    delete from delivery_node`);
}

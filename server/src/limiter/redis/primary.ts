/**
 * Which server has an environment's keys now. They have one hash tag, so in a cluster too it is one server, and limits
 * need nothing but a connection to it. It is looked for before each connection, and any failure ends a connection: so
 * a promoted replica, or a node that was given the keys' slot, is found by the same way as a Redis that comes back.
 */
import type { Clock } from '../../base/clock.ts';
import type { Endpoint, RedisAddress, RedisUser } from '../../base/config/redis-address.ts';
import { type Answer, RedisConnection } from './connection.ts';
import { notRedis, RedisRefusal } from './protocol.ts';

/** `key` is one of the environment's. */
export function findPrimary(address: RedisAddress, key: string, clock: Clock): Promise<Endpoint> {
  const { at, isEncrypted, user } = address;
  switch (at.kind) {
    case 'server':
      return Promise.resolve(at.server);
    case 'sentinel':
      return newestOf(
        at.sentinels.map((sentinel) => namedBy(sentinel, at.primaryName, ask(at.sentinelUser))),
      );
    case 'cluster':
      return Promise.any(at.nodes.map((node) => ownerSaidBy(node, key, ask(user))));
  }

  function ask(as: RedisUser): Ask {
    return async (endpoint, ...commands) => {
      const connection = new RedisConnection({ endpoint, isEncrypted, user: as }, clock);
      try {
        await connection.opened;
        return await Promise.all(commands.map((command) => connection.send(command)));
      } finally {
        connection.close();
      }
    };
  }
}

type Ask = (of: Endpoint, ...commands: string[][]) => Promise<Answer[]>;

interface Named {
  endpoint: Endpoint;
  /** Higher after each failover. */
  epoch: number;
}

async function namedBy(sentinel: Endpoint, primaryName: string, ask: Ask): Promise<Named> {
  const [fields, found] = await ask(
    sentinel,
    ['SENTINEL', 'MASTER', primaryName],
    // It is ahead of the other: it names the new primary while the other replicas are still being told.
    ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName],
  );
  if (!Array.isArray(fields) || !Array.isArray(found)) throw notRedis();
  const epoch = Number(fields[fields.indexOf('config-epoch') + 1]);
  const [host, port] = found;
  return { endpoint: endpointOf(String(host), Number(port)), epoch };
}

/** A Sentinel that was cut off names the primary of before: the one that knows of the last failover is right. */
async function newestOf(asked: Promise<Named>[]): Promise<Endpoint> {
  const answers = await Promise.allSettled(asked);
  const named = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const [newest] = named.sort((one, other) => other.epoch - one.epoch);
  if (newest) return newest.endpoint;
  const reasons = answers.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
  throw new AggregateError(reasons);
}

/** A node that does not have the key's slot says who does. */
async function ownerSaidBy(node: Endpoint, key: string, ask: Ask): Promise<Endpoint> {
  try {
    await ask(node, ['HLEN', key]);
    return node;
  } catch (error) {
    const moved = error instanceof RedisRefusal && /^MOVED \d+ (.*):(\d+)$/.exec(error.message);
    if (!moved) throw error;
    const [, host, port] = moved;
    // Without a host, it is the one that was asked.
    return endpointOf(host || node.host, Number(port));
  }
}

/** Node throws at once if it is to connect to a port that cannot be. */
function endpointOf(host: string, port: number): Endpoint {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw notRedis();
  return { host, port };
}

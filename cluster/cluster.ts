/**
 * The layout of deploy/compose.yaml as processes of this machine: PostgreSQL with a database per environment,
 * a Redis per environment, Bellhop nodes, and a load balancer in front of them. A keeper watches each process
 * (kit/keeper.ts), so everything ends with the process that started the cluster, however that ends.
 */
import { randomBytes } from 'node:crypto';
import { type EnvironmentName, environments, type Settings } from '../kit/bellhop.ts';
import { startPostgresServer, withClient } from '../kit/postgres.ts';
import { startRedisServer } from '../kit/redis.ts';
import type { ThrowAwayServer } from '../kit/throw-away-server.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ClusterNode, startNode } from './node.ts';
import type { Options } from './options.ts';

/** What a node may use, as in docs/limits.md, and some for people. */
const CONNECTIONS_PER_NODE = 68;
const OTHER_CONNECTIONS = 20;

/** As in the Compose file: windows must not be lost in a crash or evicted. */
export const REDIS_SETTINGS = [
  ...['--appendonly', 'yes', '--appendfsync', 'always'],
  ...['--maxmemory-policy', 'noeviction'],
];

export interface Cluster {
  postgres: ThrowAwayServer;
  redis: Record<EnvironmentName, ThrowAwayServer>;
  nodes: ClusterNode[];
  /** Null if no load balancer is installed. */
  balancer: Balancer | null;
  adminToken: string;
  /** Stops the nodes in order, then everything else. */
  end(): Promise<void>;
}

/** `settings` are passed to every node. */
export async function startCluster(
  { nodes: rolesOfNodes }: Options,
  settings: Settings = {},
): Promise<Cluster> {
  await using starting = new AsyncDisposableStack();
  const keep = <Server extends { end(): Promise<void> }>(server: Server): Server => {
    starting.defer(() => server.end());
    return server;
  };
  const [postgres, production, sandbox] = await all([
    startPostgresServer([`max_connections=${connectionsFor(rolesOfNodes.length)}`]).then(keep),
    startRedisServer(REDIS_SETTINGS).then(keep),
    startRedisServer(REDIS_SETTINGS).then(keep),
  ]);
  const redis = { production, sandbox };
  const adminToken = settings.BELLHOP_ADMIN_TOKEN ?? randomBytes(24).toString('hex');
  const shared: Settings = {
    BELLHOP_DEMO: 'off',
    // The load balancer needs up to 0.7 s to notice that a node is about to stop.
    BELLHOP_DRAIN_DELAY: '2s',
    ...settings,
    BELLHOP_HOST: '127.0.0.1',
    BELLHOP_TRUSTED_PROXIES: '127.0.0.1',
    BELLHOP_MASTER_KEY: settings.BELLHOP_MASTER_KEY ?? randomBytes(32).toString('base64'),
    BELLHOP_ADMIN_TOKEN: adminToken,
  };
  for (const environment of environments) {
    const prefix = `BELLHOP_${environment.toUpperCase()}_`;
    shared[`${prefix}DATABASE_URL`] = await createDatabase(postgres, `bellhop_${environment}`);
    shared[`${prefix}REDIS_URL`] = redis[environment].url;
  }
  const nodes = await all(
    rolesOfNodes.map(async (roles, i) => {
      const node = await startNode(`node-${i + 1}`, roles, shared);
      keep(node.server);
      return node;
    }),
  );
  const balancer = await startBalancer(nodes);
  if (balancer) keep(balancer.server);
  const running = starting.move();
  return {
    ...{ postgres, redis, nodes, balancer, adminToken },
    async end() {
      await Promise.allSettled(nodes.map(({ server }) => server.stop()));
      await running.disposeAsync();
    },
  };
}

export function connectionsFor(nodes: number): number {
  return nodes * CONNECTIONS_PER_NODE + OTHER_CONNECTIONS;
}

/** Resolves to its URL. Its owner has the same name, and may not connect to other databases. */
async function createDatabase(server: ThrowAwayServer, name: string): Promise<string> {
  const password = randomBytes(12).toString('hex');
  await withClient(server.url, async (client) => {
    await client.query(`create role ${name} login password '${password}'`);
    await client.query(`create database ${name} owner ${name}`);
    await client.query(`revoke connect on database ${name} from public`);
  });
  return `postgres://${name}:${password}@127.0.0.1:${server.port}/${name}`;
}

/** Like Promise.all, but waits for all: what still starts when one fails must be ended too. */
async function all<Values extends readonly unknown[]>(
  starting: readonly [...{ [i in keyof Values]: Promise<Values[i]> }],
): Promise<Values> {
  await Promise.allSettled(starting);
  // TypeScript does not see that the promises of a tuple's parts become that tuple.
  return Promise.all(starting) as unknown as Promise<Values>;
}

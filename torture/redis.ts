/** One Redis per environment, configured as docs/operating says. Each node has its own links to them. */

import { REDIS_SETTINGS } from '../cluster/cluster.ts';
import { type EnvironmentName, environments, type Settings } from '../kit/bellhop.ts';
import { findRedis, startRedisServer } from '../kit/redis.ts';
import type { RedisCluster } from '../kit/redis-cluster.ts';
import type { WatchedRedis } from '../kit/redis-sentinel.ts';
import { openLink, type TcpLink } from '../kit/tcp-link.ts';
import type { ThrowAwayServer } from '../kit/throw-away-server.ts';

export interface RedisSide {
  servers: Record<EnvironmentName, ThrowAwayServer>;
  /** Only for a failover. */
  replicas: Partial<Record<EnvironmentName, ThrowAwayServer>>;
  /** Only for faults of these: nodes that start afterwards use them instead of `servers`. */
  watched: Partial<Record<EnvironmentName, WatchedRedis>>;
  cluster?: RedisCluster;
  /** For one node. */
  link(): Promise<RedisLinks>;
  /** Of all nodes. */
  links: RedisLinks[];
  end(): Promise<void>;
}

/** The connections of one node. */
export interface RedisLinks {
  settings: Settings;
  to: Record<EnvironmentName, TcpLink>;
}

/** Undefined if Redis is not installed. */
export async function startRedis(): Promise<RedisSide | undefined> {
  if (!findRedis()) return undefined;
  const [production, sandbox] = await Promise.all([
    startRedisServer(REDIS_SETTINGS),
    startRedisServer(REDIS_SETTINGS),
  ]);
  const servers = { production, sandbox };
  const links: RedisLinks[] = [];
  const side: RedisSide = {
    servers,
    replicas: {},
    watched: {},
    links,
    async link() {
      const opened: RedisLinks = {
        settings: {},
        to: {
          production: await openLink({ host: '127.0.0.1', port: production.port }),
          sandbox: await openLink({ host: '127.0.0.1', port: sandbox.port }),
        },
      };
      for (const environment of environments) {
        const url =
          side.watched[environment]?.url ??
          side.cluster?.url ??
          opened.to[environment].through(servers[environment].url);
        opened.settings[`BELLHOP_${environment.toUpperCase()}_REDIS_URL`] = url;
      }
      links.push(opened);
      return opened;
    },
    async end() {
      for (const { to } of links) for (const name of environments) to[name].close();
      await Promise.all(environments.map((name) => servers[name].end()));
    },
  };
  return side;
}

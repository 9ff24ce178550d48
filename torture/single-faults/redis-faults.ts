import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { REDIS_SETTINGS } from '../../cluster/cluster.ts';
import { askRedis } from '../../kit/ask-redis.ts';
import { type EnvironmentName, environments } from '../../kit/bellhop.ts';
import { startRedisServer } from '../../kit/redis.ts';
import { type RedisCluster, startRedisCluster } from '../../kit/redis-cluster.ts';
import { isInSync, startWatchedRedis, type WatchedRedis } from '../../kit/redis-sentinel.ts';
import type { ThrowAwayServer } from '../../kit/throw-away-server.ts';
import { type SingleFault, type Stage, WHILE_MS } from './single-fault.ts';

export const redisKilled: SingleFault = {
  about: 'Both Redis are killed, and started again with their data after 4 s.',
  recoversFrom: 'end',
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis killed', undefined, () =>
      forBoth(async (environment) => {
        await redis.servers[environment].kill();
        await sleep(WHILE_MS);
        await redis.servers[environment].restart();
      }),
    ),
};

export const redisEmpty: SingleFault = {
  about: 'Both Redis lose everything in a restart that takes a moment.',
  recoversFrom: 'end',
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis restarted empty', undefined, () =>
      forBoth(async (environment) => {
        const server = redis.servers[environment];
        // Redis carries out both before it listens to anyone else.
        const socket = connect(server.port, '127.0.0.1');
        socket.end('FLUSHALL\r\nSHUTDOWN NOSAVE\r\n');
        await once(socket, 'close');
        while (server.pid !== null) await sleep(10);
        await server.restart();
      }),
    ),
};

export const redisPaused: SingleFault = {
  about: 'Both Redis stand still for 4 s: connections stay open and nothing answers.',
  recoversFrom: 'end',
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis paused', undefined, async () => {
      const pids = environments.flatMap((name) => redis.servers[name].pid ?? []);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await sleep(WHILE_MS);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }),
};

export const redisFailover: SingleFault = {
  about: 'Both Redis are killed, and their replicas take over at the same addresses after 1 s.',
  recoversFrom: 'end',
  async prepare({ redis, closing }) {
    await forBoth(async (environment) => {
      const primary = redis.servers[environment];
      const replica = await startRedisServer(REDIS_SETTINGS);
      closing.defer(() => replica.end());
      await askRedis(replica, 'REPLICAOF', '127.0.0.1', String(primary.port));
      while (!(await isInSync(replica))) await sleep(50);
      redis.replicas[environment] = replica;
    });
  },
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis failed over', undefined, () =>
      forBoth(async (environment) => {
        const primary = redis.servers[environment];
        const replica = redis.replicas[environment] as ThrowAwayServer;
        await primary.kill();
        await sleep(1_000);
        await askRedis(replica, 'REPLICAOF', 'NO', 'ONE');
        for (const { to } of redis.links) to[environment].retarget(replica.port);
      }),
    ),
};

export const sentinelFailover: SingleFault = {
  about: 'Both Redis are killed, and their Sentinels promote the replicas.',
  recoversFrom: 'end',
  async prepare({ redis, closing }) {
    await forBoth(async (environment) => {
      const watched = await startWatchedRedis(REDIS_SETTINGS);
      closing.defer(() => watched.end());
      redis.watched[environment] = watched;
    });
  },
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis failed over', undefined, () =>
      forBoth(async (environment) => {
        const { primary, replica } = redis.watched[environment] as WatchedRedis;
        await primary.kill();
        await untilPrimary(replica);
      }),
    ),
};

export const clusterPrimaryKilled: SingleFault = {
  about:
    'The primary that has the limits of both environments in a Redis cluster is killed; its replica takes over.',
  recoversFrom: 'end',
  prepare: startCluster,
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis failed over', undefined, async () => {
      const { primaries, replica } = redis.cluster as RedisCluster;
      await primaries[0]?.kill();
      await untilPrimary(replica);
    }),
};

export const clusterSlotMoved: SingleFault = {
  about:
    'In a Redis cluster, the slots with the limits are moved to another primary, with 2 s between the first key and the others.',
  recoversFrom: 'end',
  prepare: startCluster,
  strike: ({ redis, ledger }) =>
    ledger.strikeFor('redis slot moved', undefined, () => {
      const { primaries, moveSlotOf } = redis.cluster as RedisCluster;
      const to = primaries[1] as ThrowAwayServer;
      return forBoth((environment) => moveSlotOf(keyOf(environment), to, () => sleep(2_000)));
    }),
};

/** The first primary, the one with a replica, has the keys of both environments. */
async function startCluster({ redis, closing }: Pick<Stage, 'redis' | 'closing'>): Promise<void> {
  const cluster = await startRedisCluster(REDIS_SETTINGS);
  closing.defer(() => cluster.end());
  redis.cluster = cluster;
  const [first] = cluster.primaries as [ThrowAwayServer];
  await forBoth((environment) => cluster.moveSlotOf(keyOf(environment), first));
}

/** In the slot of all others. */
function keyOf(environment: EnvironmentName): string {
  return `bellhop:{${environment}}`;
}

async function untilPrimary(replica: ThrowAwayServer): Promise<void> {
  for (;;) {
    // Whoever promotes it also closes its connections.
    const role = await askRedis(replica, 'ROLE').catch(() => []);
    if ((role as string[])[0] === 'master') return;
    await sleep(20);
  }
}

async function forBoth(work: (environment: EnvironmentName) => Promise<void>): Promise<void> {
  await Promise.all(environments.map(work));
}

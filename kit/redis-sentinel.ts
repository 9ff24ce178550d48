import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askRedis } from './ask-redis.ts';
import { startRedisProgram, startRedisServer } from './redis.ts';
import type { ThrowAwayServer } from './throw-away-server.ts';

/** What the Sentinel calls the primary. */
const PRIMARY_NAME = 'limits';
/** The failover is as fast as Sentinel can be. */
const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 2_000;

export interface WatchedRedis {
  /** `redis+sentinel://…` */
  url: string;
  primary: ThrowAwayServer;
  replica: ThrowAwayServer;
  end(): Promise<void>;
}

/** A primary, its replica, and one Sentinel, which promotes the replica if the primary is gone. */
export async function startWatchedRedis(settings: readonly string[] = []): Promise<WatchedRedis> {
  await using starting = new AsyncDisposableStack();
  const start = async (...more: string[]) => {
    const server = await startRedisServer([...settings, ...more]);
    starting.defer(() => server.end());
    return server;
  };
  const primary = await start();
  const replica = await start('--replicaof', `127.0.0.1 ${primary.port}`);
  const sentinel = await startSentinel(primary);
  starting.defer(() => sentinel.end());
  while (!(await isInSync(replica))) await sleep(20);
  while (!(await knowsReplica(sentinel))) await sleep(20);
  const ending = starting.move();
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/${PRIMARY_NAME}`,
    primary,
    replica,
    end: () => ending.disposeAsync(),
  };
}

async function startSentinel(primary: ThrowAwayServer): Promise<ThrowAwayServer> {
  return startRedisProgram('Sentinel', ({ folder, port }) => {
    const file = join(folder, 'sentinel.conf');
    const lines = [
      ...['bind 127.0.0.1', `port ${port}`, `dir ${folder}`],
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${PRIMARY_NAME} ${FAILOVER_TIMEOUT_MS}`,
    ];
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    // It keeps its state there, and may run as another user.
    chmodSync(file, 0o666);
    return [file, '--sentinel'];
  });
}

/** Whether a replica has everything that its primary has written. */
export async function isInSync(replica: ThrowAwayServer): Promise<boolean> {
  const info = await askRedis(replica, 'INFO', 'replication');
  return String(info).includes('master_link_status:up');
}

async function knowsReplica(sentinel: ThrowAwayServer): Promise<boolean> {
  const replicas = await askRedis(sentinel, 'SENTINEL', 'REPLICAS', PRIMARY_NAME);
  return (replicas as unknown[]).length > 0;
}

/** Where the nodes keep their data: nothing that could be struck apart from them, or a PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startPostgresServer } from '../test/provide/postgres.ts';
import type { ThrowAwayServer } from '../test/provide/throw-away-server.ts';
import type { Ledger } from './ledger.ts';
import type { Settings } from './nodes.ts';
import type { Random } from './random.ts';
import { environments } from './world.ts';

export interface Database {
  settings: Settings;
  /** How long a crashed node's work stays with it. */
  leaseMs: number;
  /** Does something bad to it and repairs it; undefined where it is part of the node. */
  hurt: ((random: Random) => Promise<void>) | undefined;
  /** Whether it was away at some moment since then, so that a node may have failed to start. */
  wasAwaySince(sinceMs: number): boolean;
  end(): Promise<void>;
}

export const embedded: Database = {
  settings: {},
  leaseMs: 0,
  hurt: undefined,
  wasAwaySince: () => false,
  async end() {},
};

const MOST_TIME_AWAY_MS = 1_500;

export async function startPostgres(
  ledger: Ledger,
  options: { masterKey: string; leaseMs: number },
): Promise<Database> {
  const server = await startPostgresServer();
  const settings: Settings = { BELLHOP_MASTER_KEY: options.masterKey };
  for (const environment of environments) {
    await query(server, `create database torture_${environment}`);
    settings[`BELLHOP_${environment.toUpperCase()}_DATABASE_URL`] =
      `postgres://postgres@127.0.0.1:${server.port}/torture_${environment}`;
  }
  let lastAwayAtMs = 0;
  let away = false;

  async function takeAway(down: () => Promise<void>, random: Random): Promise<void> {
    away = true;
    await down();
    await sleep(random.between(0, MOST_TIME_AWAY_MS));
    if (random.chance(0.15)) {
      // What was being attempted can be recorded by nobody before its lease is over.
      ledger.strike('database away for longer than a lease');
      await sleep(options.leaseMs);
    }
    await server.restart();
    away = false;
    lastAwayAtMs = Date.now();
  }

  return {
    settings,
    leaseMs: options.leaseMs,
    async hurt(random) {
      const way = random.weighted({ kill: 4, quit: 2, restart: 1, cut: 3 });
      if (way === 'kill') {
        ledger.strike('database killed');
        await takeAway(() => server.kill(), random);
      } else if (way === 'quit') {
        ledger.strike('database stopped at once');
        await takeAway(() => quit(server), random);
      } else if (way === 'restart') {
        ledger.strike('database restarted');
        await takeAway(() => server.stop(), random);
      } else {
        ledger.strike('database connections cut');
        await cutConnections(server);
        lastAwayAtMs = Date.now();
      }
    },
    wasAwaySince: (sinceMs) => away || lastAwayAtMs >= sinceMs,
    end: () => server.end(),
  };
}

/** "Immediate": no last checkpoint, every connection dropped; like a crash, but by PostgreSQL's own hand. */
async function quit(server: ThrowAwayServer): Promise<void> {
  if (server.pid !== null) process.kill(server.pid, 'SIGQUIT');
  while (server.pid !== null) await sleep(10);
}

/** Every other one, whatever it is doing. */
async function cutConnections(server: ThrowAwayServer): Promise<void> {
  await query(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'bellhop%' and random() < 0.5`,
  );
}

async function query(server: ThrowAwayServer, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

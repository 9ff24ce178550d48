/**
 * Where the nodes keep their data: embedded, with no faults of its own, or a PostgreSQL to which each node
 * has its own link.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionsFor } from '../cluster/cluster.ts';
import { environments, type Settings } from '../kit/bellhop.ts';
import {
  failOver,
  type PostgresOptions,
  query,
  startPostgresReplica,
  startPostgresServer,
  untilCaughtUp,
} from '../kit/postgres.ts';
import { openLink, type TcpLink } from '../kit/tcp-link.ts';
import type { ThrowAwayServer } from '../kit/throw-away-server.ts';
import { type Ledger, RESTORED_MS } from './ledger.ts';
import { DATABASE } from './presence.ts';
import type { Random } from './random.ts';

/** How long a node owns its lanes without renewing its lease, as in docs/limits.md. */
export const LEASE_MS = 6_000;

export interface Database {
  /** For programs that must never be cut off. */
  settings: Settings;
  /** Null if one process owns everything for good. */
  leaseMs: number | null;
  /** For one node; undefined if the database is embedded. */
  link(): Promise<Link | undefined>;
  /** Injects a fault and repairs it; undefined if the database is embedded. */
  hurt: ((random: Random) => Promise<void>) | undefined;
  /** For faults of its own; undefined if the database is embedded. */
  postgres: PostgresSide | undefined;
  /**
   * Before a node is killed or stopped: waits until a failover is over and nodes have stored again what it has lost.
   * What only a node knew that is killed before that is lost, and nobody promised otherwise.
   */
  calm(): Promise<void>;
  /** No failover begins meanwhile: what a node confirms while it stops, it cannot store again. */
  withoutFailover<T>(during: () => Promise<T>): Promise<T>;
  end(): Promise<void>;
}

export interface PostgresSide {
  /** The one that is used; another one after a failover. */
  server: ThrowAwayServer;
  /** Only for a failover. */
  standby?: ThrowAwayServer;
  /** Of all nodes. */
  links: readonly TcpLink[];
  /** A replica takes over that lacks what was written in the last `lagMs`. `during` begins with the lag. */
  promoteLagging(lagMs: number, during?: () => Promise<void>, promoted?: () => void): Promise<void>;
}

/** The connection from one node to the database. */
export interface Link {
  settings: Settings;
  /** The database ends every connection. */
  cutConnections(): Promise<void>;
  /** Nothing gets through: `late` arrives afterwards, `lost` never does. */
  interrupt(what: 'late' | 'lost'): void;
  repair(): void;
}

export const embedded: Database = {
  settings: {},
  leaseMs: null,
  link: async () => undefined,
  hurt: undefined,
  postgres: undefined,
  async calm() {},
  withoutFailover: (during) => during(),
  async end() {},
};

const MOST_TIME_AWAY_MS = 1_500;
const LONGEST_LAG_MS = 1_000;

export interface PostgresParts extends PostgresOptions {
  ledger: Ledger;
  masterKey: string;
  nodes: number;
  /** PostgreSQL's own, such as `fsync=off`. */
  settings?: readonly string[];
}

export async function startPostgres(parts: PostgresParts): Promise<Database> {
  const { ledger, masterKey, nodes, settings = [], ...options } = parts;
  const ownSettings = [`max_connections=${connectionsFor(nodes)}`, ...settings];
  const first = await startPostgresServer(ownSettings, options);
  for (const environment of environments) {
    await query(first.url, `create database torture_${environment}`);
  }
  const links: TcpLink[] = [];
  const postgres: PostgresSide = { server: first, links, promoteLagging };
  let isFailingOver = false;
  let calmAtMs = 0;
  let stopping = 0;

  async function promoteLagging(
    lagMs: number,
    during = async () => {},
    promoted = () => {},
  ): Promise<void> {
    while (stopping > 0) await sleep(50);
    isFailingOver = true;
    const before = postgres.server;
    const replication = await openLink({ host: '127.0.0.1', port: before.port });
    const replica = await startPostgresReplica(replication, 'lagging', ownSettings);
    await untilCaughtUp(before, replica);
    replication.swallow();
    await ledger.strikeFor('database failed over with lag', undefined, async () => {
      const meanwhile = during();
      await sleep(lagMs);
      ledger.presence.leave(DATABASE);
      await failOver(before, replica, links);
      postgres.server = replica;
      ledger.presence.return(DATABASE);
      promoted();
      await meanwhile;
    });
    calmAtMs = Date.now() + RESTORED_MS;
    isFailingOver = false;
    replication.close();
    await before.end();
  }

  async function takeAway(down: () => Promise<void>, random: Random): Promise<void> {
    ledger.presence.leave(DATABASE);
    await down();
    await sleep(random.between(0, MOST_TIME_AWAY_MS));
    if (random.chance(0.2)) {
      // Nobody can record an attempt that was in flight before its lease has ended.
      await ledger.strikeFor('database away for longer than a lease', undefined, async () => {
        await sleep(LEASE_MS);
        await postgres.server.restart();
      });
    } else {
      await postgres.server.restart();
    }
    ledger.presence.return(DATABASE);
  }

  return {
    get settings() {
      return { BELLHOP_MASTER_KEY: masterKey, ...urlsOf(postgres.server) };
    },
    postgres,
    leaseMs: LEASE_MS,
    async link() {
      const link = await openLink({ host: '127.0.0.1', port: postgres.server.port });
      links.push(link);
      const through = Object.entries(urlsOf(postgres.server)).map(([name, url]) => [
        name,
        link.through(url),
      ]);
      return {
        settings: Object.fromEntries(through),
        // If the database is down at this moment, all connections have ended already.
        cutConnections: () =>
          cutConnections(postgres.server, 'client_port = any($1::int[])', [link.clientPorts]).catch(
            () => {},
          ),
        interrupt: (what) => (what === 'late' ? link.freeze() : link.swallow()),
        repair() {
          link.thaw();
          link.restore();
        },
      };
    },
    async calm() {
      while (isFailingOver || Date.now() < calmAtMs) await sleep(50);
    },
    async withoutFailover(during) {
      stopping++;
      return during().finally(() => stopping--);
    },
    async hurt(random) {
      const { server } = postgres;
      const way = random.weighted({ kill: 4, quit: 2, restart: 1, cut: 3, promote: 3 });
      if (way === 'promote') {
        await promoteLagging(random.between(0, LONGEST_LAG_MS));
      } else if (way === 'kill') {
        await ledger.strikeFor('database killed', undefined, () =>
          takeAway(() => server.kill(), random),
        );
      } else if (way === 'quit') {
        await ledger.strikeFor('database stopped at once', undefined, () =>
          takeAway(() => quit(server), random),
        );
      } else if (way === 'restart') {
        await ledger.strikeFor('database restarted', undefined, () =>
          takeAway(() => server.stop(), random),
        );
      } else {
        ledger.inject('database connections cut');
        ledger.presence.leave(DATABASE);
        await cutConnections(server, 'random() < 0.5');
        ledger.presence.return(DATABASE);
      }
    },
    async end() {
      for (const link of links) link.close();
      await postgres.server.end();
    },
  };
}

function urlsOf({ port }: ThrowAwayServer): Settings {
  const entries = environments.map((environment) => [
    `BELLHOP_${environment.toUpperCase()}_DATABASE_URL`,
    `postgres://postgres@127.0.0.1:${port}/torture_${environment}`,
  ]);
  return Object.fromEntries(entries);
}

/** "Immediate": no final checkpoint, all connections dropped, like a crash that PostgreSQL performs itself. */
async function quit(server: ThrowAwayServer): Promise<void> {
  if (server.pid !== null) process.kill(server.pid, 'SIGQUIT');
  while (server.pid !== null) await sleep(10);
}

/** All of Bellhop's connections. */
async function cutConnections(
  server: ThrowAwayServer,
  which: string,
  values: unknown[] = [],
): Promise<void> {
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name like 'bellhop%' and ${which}`;
  await query(server.url, sql, values);
}

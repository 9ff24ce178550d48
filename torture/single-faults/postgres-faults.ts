import { setTimeout as sleep } from 'node:timers/promises';
import { failOver, query, startPostgresReplica } from '../../kit/postgres.ts';
import type { ThrowAwayServer } from '../../kit/throw-away-server.ts';
import type { FaultKind, Ledger } from '../ledger.ts';
import { DATABASE } from '../presence.ts';
import { type SingleFault, WHILE_MS } from './single-fault.ts';

const STANDBY = 'standby';
const ABSENCE_MS = 2_000;
const LAG_MS = 1_000;
/** Each way. A statement then takes 200 ms, which is within every deadline. */
const DELAY_MS = 100;

export const postgresRestarted: SingleFault = {
  about: 'PostgreSQL is stopped, and started again after 2 s.',
  recoversFrom: 'end',
  strike: ({ postgres, ledger }) =>
    away(ledger, 'database restarted', async () => {
      await postgres.server.stop();
      await sleep(ABSENCE_MS);
      await postgres.server.restart();
    }),
};

export const postgresKilled: SingleFault = {
  about: 'PostgreSQL is killed, and recovers after 2 s.',
  recoversFrom: 'end',
  strike: ({ postgres, ledger }) =>
    away(ledger, 'database killed', async () => {
      await postgres.server.kill();
      await sleep(ABSENCE_MS);
      await postgres.server.restart();
    }),
};

/** Asynchronous replication may lose what was confirmed last, so the primary waits for the standby. */
export const postgresFailover: SingleFault = {
  about:
    'PostgreSQL is killed, and its synchronous standby is promoted and takes over its address.',
  recoversFrom: 'end',
  async prepare({ postgres, closing }) {
    const { server } = postgres;
    const standby = await startPostgresReplica(server, STANDBY, ['max_connections=500']);
    closing.defer(() => standby.end());
    postgres.standby = standby;
    await query(server.url, `alter system set synchronous_standby_names = '${STANDBY}'`);
    await query(server.url, 'select pg_reload_conf()');
    const isSynchronous = `select from pg_stat_replication
                            where application_name = '${STANDBY}' and sync_state = 'sync'`;
    while ((await query(server.url, isSynchronous)).length === 0) await sleep(50);
  },
  strike: ({ postgres, ledger }) =>
    away(ledger, 'database failed over', async () => {
      const standby = postgres.standby as ThrowAwayServer;
      await failOver(postgres.server, standby, postgres.links);
      postgres.server = standby;
    }),
};

/** Each time another replica, which begins to lag when it is complete. */
export const postgresReplicaPromoted: SingleFault = {
  about:
    'A replica is promoted that lags by a second: with all nodes there, with one frozen, and with one cut off from PostgreSQL.',
  recoversFrom: 'end',
  async strike({ postgres, database, victim, nodes, ledger, revokedKeys }) {
    await revokedKeys.during((promoted) => postgres.promoteLagging(LAG_MS, undefined, promoted));
    await database.calm();
    const other = nodes.all.at(-1) ?? victim;
    for (const [node, kind, absent] of [
      [victim, 'bellhop frozen', () => victim.freeze(LAG_MS + WHILE_MS)],
      [other, 'bellhop cut off from its database', () => other.cutOff(LAG_MS + WHILE_MS, 'lost')],
    ] as const) {
      const isAbsent = async () => {
        // It has confirmed some of what is lost.
        await sleep(LAG_MS / 2);
        await ledger.strikeFor(kind, node.name, absent);
      };
      await revokedKeys.during((promoted) => postgres.promoteLagging(LAG_MS, isAbsent, promoted));
      await database.calm();
    }
  },
};

export const postgresReadOnly: SingleFault = {
  about: 'PostgreSQL refuses to write for 4 s, as a failed disk or a demoted primary does.',
  recoversFrom: 'end',
  strike: ({ postgres: { server }, ledger }) =>
    away(ledger, 'database read-only', async () => {
      await query(server.url, 'alter system set default_transaction_read_only = on');
      await query(server.url, 'select pg_reload_conf()');
      await sleep(WHILE_MS);
      await query(server.url, 'alter system reset default_transaction_read_only');
      await query(server.url, 'select pg_reload_conf()');
    }),
};

export const postgresSlow: SingleFault = {
  about: `Every answer of PostgreSQL takes ${2 * DELAY_MS} ms longer, for 8 s.`,
  recoversFrom: 'end',
  strike: ({ postgres: { links }, ledger }) =>
    ledger.strikeFor('database slow', undefined, async () => {
      for (const link of links) link.delay(DELAY_MS);
      await sleep(2 * WHILE_MS);
      for (const link of links) link.delay(0);
    }),
};

/** A fault in which the database cannot do its work. */
export async function away(
  ledger: Ledger,
  kind: FaultKind,
  during: () => Promise<void>,
): Promise<void> {
  ledger.presence.leave(DATABASE);
  await ledger.strikeFor(kind, undefined, during);
  ledger.presence.return(DATABASE);
}

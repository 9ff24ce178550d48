/** Whether a claim costs more when more is pending. Both stores are open at once, and take turns. */
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../server/src/clock.ts';
import { createLog } from '../../server/src/log.ts';
import { openPostgresStore } from '../../server/src/store/postgres/open.ts';
import { connect } from '../../server/src/store/sqlite/connection.ts';
import { openSqliteStore } from '../../server/src/store/sqlite/open.ts';
import type { Store } from '../../server/src/store/store.ts';
import { Vault } from '../../server/src/vault.ts';
import { startPostgresServer } from '../../test/provide/postgres.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const MIDOFFICES = 100;
const CLAIMS = 200;
const AT_ONCE = 16;

const vault = new Vault(Buffer.alloc(32, 7), 'sandbox');
const about = { environment: 'sandbox' as const, vault, clock: systemClock };

export const claim: Bench = {
  name: 'claim',
  async run(session) {
    return [
      await compared(
        session,
        'embedded',
        await sqliteWith(session, MANY),
        await sqliteWith(session, FEW),
      ),
      await onPostgres(session),
    ];
  },
};

function compared(session: Session, engine: string, many: Store, few: Store): Promise<Line> {
  return sideBySide(
    session,
    { title: `one claim of ${AT_ONCE}, ${engine}`, unit: 'ms', bar: { atMost: 1.2 } },
    claiming('1,000,000 pending', many),
    claiming('10,000 pending', few),
  );
}

/** Claims, and gives back what was claimed, so that every round finds the same. */
function claiming(name: string, { deliveries }: Store): Side {
  return {
    name,
    async measure() {
      const times: number[] = [];
      for (let n = 0; n < CLAIMS; n++) {
        const startedMs = performance.now();
        const { claimed } = await deliveries.claim({
          lanes: [{ midofficeId: `mid_${n % MIDOFFICES}`, free: AT_ONCE }],
          nowMs: systemClock.now(),
          leaseUntilMs: systemClock.now() + 30_000,
          lease: `bench-${n}`,
        });
        times.push(performance.now() - startedMs);
        if (claimed.length !== AT_ONCE) throw new Error(`claimed ${claimed.length}`);
        await deliveries.release(claimed);
      }
      times.sort((a, b) => a - b);
      return { figure: times[times.length >> 1] as number };
    },
  };
}

async function sqliteWith(session: Session, pending: number): Promise<Store> {
  session.progress(`storing ${pending} pending deliveries`);
  const folder = join(await session.folder(), 'sandbox');
  const made = await openSqliteStore({ folder, ...about });
  await made.close();
  const connection = connect(join(folder, 'bellhop.db'));
  connection.exec('pragma foreign_keys = off');
  for (const statement of rows(pending, {
    numbers: (count) =>
      `(with recursive n(n) as (values (1) union all select n + 1 from n where n < ${count})
        select n from n)`,
  })) {
    connection.exec(statement);
  }
  connection.close();
  const store = await openSqliteStore({ folder, ...about });
  session.undo(() => store.close());
  return store;
}

async function onPostgres(session: Session): Promise<Line> {
  session.progress('starting PostgreSQL');
  const server = await startPostgresServer();
  session.undo(() => server.end());
  const stores: Store[] = [];
  for (const pending of [MANY, FEW]) {
    session.progress(`storing ${pending} pending deliveries in PostgreSQL`);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`create database pending_${pending}`);
    await admin.end();
    const url = new URL(server.url);
    url.pathname = `/pending_${pending}`;
    const store = await openPostgresStore({
      url: url.href,
      ...about,
      log: createLog('silent'),
    });
    session.undo(() => store.close());
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`set search_path to bellhop; set session_replication_role = replica`);
    for (const statement of rows(pending, {
      numbers: (count) => `generate_series(1, ${count}) as g (n)`,
    })) {
      await client.query(statement);
    }
    await client.query('vacuum analyze');
    await client.end();
    stores.push(store);
  }
  return compared(session, 'PostgreSQL', stores[0] as Store, stores[1] as Store);
}

function rows(pending: number, { numbers }: { numbers(count: number): string }): string[] {
  return [
    `insert into midoffice (id, name, url, signing_key_id, body_form, delivery_order, max_in_flight,
                            paused, created_at)
     select 'mid_' || (n - 1), 'Bench', 'https://example.com/', 'none', 'data', 'any', 256, 0, 0
       from ${numbers(MIDOFFICES)}`,
    `insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, ordered, state,
                           due_at, attempts_made, retries_used, accepted_at)
     select 'event-' || n, 'created', 'par_1', 'order-' || n, 'mid_' || (n % ${MIDOFFICES}), 0,
            'pending', n, 0, 0, n
       from ${numbers(pending)}`,
  ];
}

import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { ConfigError, PreconditionFailed } from '../../base/config/config.ts';
import { checked } from '../../base/disposal.ts';
import type { Log } from '../../base/log.ts';
import { readPages } from '../../base/pages.ts';
import { refuseOtherRelease } from '../../store/direct/database.ts';
import { commandPool, reachForCommand } from '../../store/direct/postgres.ts';
import { readMarks, writeMarksIn } from '../../store/move-marks.ts';
import { postgresAdmissions } from '../../store/postgres/admissions.ts';
import { ONE_BEGINS, readMasterKeysInUse } from '../../store/postgres/master-keys-in-use.ts';
import { migrateNew } from '../../store/postgres/migrate-in-steps.ts';
import { onMigrationConnection } from '../../store/postgres/migrating.ts';
import type { BoundedPool } from '../../store/postgres/pool.ts';
import type { Schema } from '../../store/schema.ts';
import { backOfficeTables, environmentTables } from '../../store/table-sets.ts';
import {
  isMoved,
  type MoveEnd,
  ROWS_PER_BATCH,
  type Row,
  shownAddress,
  type Tables,
} from './move-end.ts';

const { schema: SCHEMA } = environmentTables;
const { schema: BACK_OFFICE_SCHEMA } = backOfficeTables;

/** PostgreSQL notices only after a moment that a node has stopped. */
const NODES_LEAVE_MS = 2_000;
const LOOK_EVERY_MS = 50;

/** No node runs on it, and none can start until it is closed. */
export async function openPostgresEnd(url: string, log: Log): Promise<MoveEnd> {
  return checked(await openMoveEnd(url, log), async (end) => {
    await refuseOtherRelease(end.db, end.where);
    const untilMs = performance.now() + NODES_LEAVE_MS;
    while ((await readMasterKeysInUse(end.db)).length > 0 && performance.now() < untilMs) {
      await pause(LOOK_EVERY_MS);
    }
    await end.refuseIfInUse();
  });
}

/** The tables never exist without the mark: a node would start on them, with nothing in them. */
export async function createPostgresTarget(
  url: string,
  log: Log,
  { id, from }: { id: string; from: string },
): Promise<MoveEnd> {
  return checked(await openMoveEnd(url, log), async (end) => {
    if (await hasTables(end)) {
      const { arriving } = await readMarks(end.db).catch(() => ({ arriving: undefined }));
      if (!arriving) {
        throw new ConfigError(
          `${end.where} is not empty; create a new database and move into that.`,
        );
      }
      throw new PreconditionFailed(
        `${end.where} has the remains of a move that was interrupted; run "drop schema ${SCHEMA} cascade; drop schema ${BACK_OFFICE_SCHEMA} cascade" in it, then move again.`,
      );
    }
    await onMigrationConnection(url, log, (connection) =>
      connection.transaction().execute(async (transaction) => {
        // Kysely would hide why it could not create them.
        for (const tables of [environmentTables, backOfficeTables]) {
          await transaction.schema.createSchema(tables.schema).ifNotExists().execute();
          await migrateNew(transaction, tables);
        }
        // A connection for migrations knows no tables; these are there now.
        const db = transaction.withSchema(SCHEMA) as unknown as Kysely<Schema>;
        await writeMarksIn(db, {
          arriving: { id, state: 'copying', from },
        });
      }),
    );
  });
}

async function hasTables({ pool }: { pool: pg.Pool }): Promise<boolean> {
  const { rows } = await pool.query(
    'select 1 from information_schema.tables where table_schema = any($1) limit 1',
    [[SCHEMA, BACK_OFFICE_SCHEMA]],
  );
  return rows.length > 0;
}

async function openMoveEnd(url: string, log: Log): Promise<MoveEnd & { pool: BoundedPool }> {
  const pool = commandPool(url, log);
  const name = shownAddress(url);
  const where = `The database ${name}`;
  let guard: pg.PoolClient;
  try {
    await reachForCommand(pool, where);
    // Nodes that start take the same lock.
    guard = await pool.connect();
    await guard.query(`select pg_advisory_lock(${ONE_BEGINS})`);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    guard.release(true);
    await pool.close();
  };
  return {
    pool,
    where,
    name,
    db,
    tables: tablesOf(pool, SCHEMA),
    backOffice: tablesOf(pool, BACK_OFFICE_SCHEMA),
    journal: postgresAdmissions(pool, pool),
    async lastSeq() {
      const sequence = `pg_sequence_last_value(pg_get_serial_sequence('delivery', 'seq')::regclass)`;
      const { rows } = await pool.query(
        `select greatest(${sequence}, (select max(seq) from delivery)) as seq`,
      );
      return Number(rows[0]?.seq ?? 0);
    },
    async continueAfter(seq) {
      if (seq === 0) return;
      await pool.query(`select setval(pg_get_serial_sequence('delivery', 'seq'), $1)`, [seq]);
    },
    async refuseIfInUse() {
      // A node that has lost its connection for a moment does not show its keys until it has a new one.
      if ((await readMasterKeysInUse(db)).length > 0) {
        throw new PreconditionFailed(`A Bellhop is running on ${name}; stop every node first.`);
      }
      try {
        // PostgreSQL releases the lock only when this session ends, and then the session cannot answer.
        await guard.query('select 1');
      } catch {
        throw new PreconditionFailed(
          `The connection to ${name} that keeps nodes from starting was lost; make sure that every node is stopped, and move again.`,
        );
      }
    },
    async settle() {
      await pool.query('analyze');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function tablesOf(pool: pg.Pool, schema: string): Tables {
  const qualified = (table: string) => `"${schema}"."${table}"`;
  return {
    async shapes() {
      const { rows } = await pool.query<{ table: string; column: string }>(
        `select table_name as table, column_name as column from information_schema.columns
          where table_schema = $1 order by table_name, ordinal_position`,
        [schema],
      );
      const byTable = Map.groupBy(rows, ({ table }) => table);
      return new Map(
        [...byTable]
          .filter(([table]) => isMoved(table))
          .map(([table, columns]) => [table, columns.map(({ column }) => column)]),
      );
    },
    async *read(table) {
      const client = await pool.connect();
      try {
        await client.query('begin read only');
        await client.query(`declare rows no scroll cursor for select * from ${qualified(table)}`);
        yield* readPages<Row>(
          ROWS_PER_BATCH,
          async (_last, size) => (await client.query<Row>(`fetch ${size} from rows`)).rows,
        );
      } finally {
        await client.query('rollback').finally(() => client.release());
      }
    },
    async write(table, columns, rows) {
      const names = columns.map((column) => `"${column}"`).join(', ');
      await pool.query({
        text: `insert into ${qualified(table)} (${names})
               select ${names} from json_populate_recordset(null::${qualified(table)}, $1::json)`,
        values: [JSON.stringify(rows)],
      });
    },
    async count(table) {
      const { rows } = await pool.query(`select count(*) as n from ${qualified(table)}`);
      return Number(rows[0]?.n);
    },
  };
}

/**
 * node:sqlite under Kysely, whose SQLite dialect expects the interface of another driver. Prepared
 * statements are cached by their text, because Kysely sends the same few over and over.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  Kysely,
  type LimitNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from '../schema.ts';
import type { StorageHealth } from '../storage-health.ts';
import { storageTroubleOf } from '../storage-trouble.ts';
import { damagedFile } from './damage.ts';

const KEPT_STATEMENTS = 500;
/** Another thread's transaction takes milliseconds. If it takes this long, something is wrong. */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * Where a log under steady load starts over: 6 MiB. A commit copies what the checkpoint thread has not copied yet: all of
 * it in the first second of a large change, because that thread is only starting; 12 MiB took 22 ms.
 */
const CHECKPOINT_PAGES = 1_500;
/** A log that has grown longer is cut to this when it begins anew; that is also how `Readers` sees that it did. */
const KEPT_LOG_BYTES = 64 * 1_048_576;

/** WAL with synchronous=FULL for Kysely's transactions. Those of `Writer` sync by themselves. */
export function connect(file: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  try {
    return open(file, options);
  } catch (error) {
    if (storageTroubleOf(error) !== 'storage_damaged') throw error;
    throw damagedFile(file, (error as Error).message);
  }
}

function open(file: string, options: { readOnly?: boolean }): DatabaseSync {
  const connection = new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    timeout: BUSY_TIMEOUT_MS,
  });
  if (!options.readOnly) {
    connection.exec(`pragma journal_mode = wal; pragma synchronous = full;
                     pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
                     pragma journal_size_limit = ${KEPT_LOG_BYTES}`);
  }
  connection.exec('pragma foreign_keys = on; pragma cache_size = -32000');
  return connection;
}

type Prepared = ReturnType<SqliteDatabase['prepare']>;

/** SQLite can roll a change of the schema back. Kysely runs migrations in a transaction only if it is told so. */
export class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new Compiler();
  }
}

/**
 * SQLite compiles a statement again whenever a value is bound that its plan depends on, such as a limit: that takes ten
 * times as long as most of our reads. The plan does not depend on the value of an expression.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** `health` is told about disk errors; commands have none. */
export function kyselyOn<Tables = Schema>(
  connection: DatabaseSync,
  health?: StorageHealth,
): Kysely<Tables> {
  const rollback = rollbackOn(connection);
  const kept = new Map<string, Prepared>();
  return new Kysely<Tables>({
    dialect: new Dialect({
      database: {
        close: () => connection.close(),
        prepare(asked) {
          if (asked === 'rollback') return rollback;
          // A transaction that reads first and writes later would fail if another process, such as
          // `bellhop reseal`, wrote in between. So it takes the lock at once.
          const sql = asked === 'begin' ? 'begin immediate' : asked;
          const known = kept.get(sql);
          if (known) return known;
          const statement = adapt(connection.prepare(sql), sql, health);
          if (kept.size >= KEPT_STATEMENTS) kept.clear();
          kept.set(sql, statement);
          return statement;
        },
      },
    }),
  });
}

/** Reads are still allowed on a damaged database, so that people can see what they have to restore. */
const READS = /^\s*(select|with)\b/i;

export function isRead(sql: string): boolean {
  return READS.test(sql);
}

function adapt(statement: StatementSync, sql: string, health?: StorageHealth): Prepared {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  const reads = isRead(sql);
  function noting<T>(work: () => T): T {
    if (reads) health?.refuseIfGone();
    else health?.refuseWrites();
    try {
      return work();
    } catch (error) {
      health?.note(error);
      throw error;
    }
  }
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => noting(() => statement.all(...values(parameters))),
    run: (parameters) => noting(() => statement.run(...values(parameters))),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

/**
 * When the disk is full, SQLite rolls back by itself. Kysely does not know that and tries to roll back
 * again. The error of that second attempt would hide the one that says what happened.
 */
function rollbackOn(connection: DatabaseSync): Prepared {
  return {
    reader: false,
    all: () => [],
    run() {
      if (connection.isTransaction) connection.exec('rollback');
      return { changes: 0, lastInsertRowid: 0 };
    },
    iterate: () => [][Symbol.iterator](),
  };
}

/** A database whose reads run elsewhere. Transactions, and whatever writes, run where they always do. */
import {
  type CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { StorageHealth } from '../storage-health.ts';
import { Dialect, isRead } from './connection.ts';
import type { Readers } from './readers.ts';

/** For the requests of one caller: see `Readers`. */
export function readingFor<Tables>(
  caller: string,
  { writing, file, readers, health }: ReadingParts<Tables>,
): Kysely<Tables> {
  const read = async ({ sql, parameters }: CompiledQuery) => {
    health.refuseIfGone();
    try {
      return await readers.read(caller, { file, sql, parameters });
    } catch (error) {
      health.note(error);
      throw error;
    }
  };
  const createDriver = () => new ReadingDriver({ writing, read });
  return new Kysely<Tables>({ dialect: Object.assign(new Dialect(NO_DATABASE), { createDriver }) });
}

export interface ReadingParts<Tables> {
  writing: Kysely<Tables>;
  file: string;
  readers: Readers;
  health: StorageHealth;
}

const NO_DATABASE = {
  database: () => Promise.reject(new Error('the reader has no connection of its own')),
};

interface Ways {
  // biome-ignore lint/suspicious/noExplicitAny: the tables do not matter here.
  writing: Kysely<any>;
  read(query: CompiledQuery): Promise<object[]>;
}

class ReadingDriver implements Driver {
  readonly #ways: Ways;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<ReadingConnection> {
    return new ReadingConnection(this.#ways);
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction(connection: ReadingConnection): Promise<void> {
    return connection.begin();
  }

  async commitTransaction({ transaction }: ReadingConnection): Promise<void> {
    await transaction?.commit().execute();
  }

  async rollbackTransaction({ transaction }: ReadingConnection): Promise<void> {
    await transaction?.rollback().execute();
  }
}

class ReadingConnection implements DatabaseConnection {
  readonly #ways: Ways;
  // biome-ignore lint/suspicious/noExplicitAny: the tables do not matter here.
  transaction: ControlledTransaction<any> | undefined;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  async begin(): Promise<void> {
    this.transaction = await this.#ways.writing.startTransaction().execute();
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.transaction) return this.transaction.executeQuery<Row>(query);
    if (!isRead(query.sql)) return this.#ways.writing.executeQuery<Row>(query);
    return { rows: (await this.#ways.read(query)) as Row[] };
  }

  streamQuery(): never {
    throw new Error('reads come as a whole');
  }
}

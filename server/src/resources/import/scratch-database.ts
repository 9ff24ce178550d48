/**
 * A private SQLite database on the disk. SQLite deletes the file as soon as it is open, so nothing is left after a
 * crash.
 */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** For SQLite's pages in memory; the rest is on the disk. */
const CACHE_KIB = 16_384;

export class ScratchDatabase implements Disposable {
  readonly #db = new DatabaseSync('');
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  constructor(tables: string) {
    this.#db.exec(`
      pragma journal_mode = off; pragma synchronous = off; pragma temp_store = file;
      pragma cache_size = -${CACHE_KIB};
      ${tables};
      begin`);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Returns whether rows were written. */
  run(sql: string, values: SQLInputValue[]): boolean {
    return Number(this.#prepared(sql).run(...values).changes) > 0;
  }

  all<Row>(sql: string, values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  #prepared(sql: string) {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

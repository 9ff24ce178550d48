import type { Kysely } from 'kysely';
import { isPostgres } from '../store/engine.ts';
import type { Database } from '../store/schema.ts';
import { Problem, type ProblemCode } from './problem.ts';
import type { RecordTable } from './record.ts';

/** The rows of a record's table, each by its key. */
export function rowsOf<Row extends object>(
  table: RecordTable['table'],
  key: keyof Row & string,
  missing: ProblemCode,
) {
  const column: string = key;
  // biome-ignore lint/suspicious/noExplicitAny: Kysely cannot infer the columns of a table that varies.
  const on = (db: Database) => db as Kysely<any>;
  const rowOf = (db: Database, id: string) =>
    on(db).selectFrom(table).selectAll().where(column, '=', id).$castTo<Row>();
  const orNotFound = (row: Row | undefined): Row => {
    if (!row) throw new Problem(missing);
    return row;
  };
  return {
    read: (db: Database, id: string): Promise<Row | undefined> => rowOf(db, id).executeTakeFirst(),
    /** By id. Ids that do not exist are left out. */
    async readAll(db: Database, ids: readonly string[]): Promise<Map<string, Row>> {
      if (ids.length === 0) return new Map();
      const query = on(db).selectFrom(table).selectAll().where(column, 'in', ids);
      const rows = await query.$castTo<Row>().execute();
      return new Map(rows.map((row) => [row[key] as string, row]));
    },
    find: async (db: Database, id: string): Promise<Row> =>
      orNotFound(await rowOf(db, id).executeTakeFirst()),
    /**
     * For a change: what this reads stays true until the transaction ends, because other changes of the row wait. At
     * the same moment, two changes then end as they would one after the other. SQLite has one writer at a time anyway.
     */
    async findToChange(db: Database, id: string): Promise<Row> {
      const query = rowOf(db, id);
      return orNotFound(await (isPostgres(db) ? query.forNoKeyUpdate() : query).executeTakeFirst());
    },
    async insert(db: Database, row: Row): Promise<void> {
      await on(db).insertInto(table).values(row).execute();
    },
    /** Nothing to change is no mistake: all that was sent may be as it is. */
    async patch(db: Database, id: string, columns: Partial<Row>): Promise<void> {
      if (Object.keys(columns).length === 0) return;
      await on(db).updateTable(table).set(columns).where(column, '=', id).execute();
    },
  };
}

/** Parts of queries that several resources share: rows by their key, counting, sorting and searching by name. */
import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../store/engine.ts';
import type { Database } from '../store/schema.ts';
import { Problem, type ProblemCode } from './problem.ts';
import type { RecordTable } from './record.ts';

/** Counting stops here, so that a long list costs no more than a medium one. This many takes a few milliseconds. */
export const MOST_COUNTED = 20_000;

/** At most `MOST_COUNTED` + 1, which means that there are more. */
export async function countRows(
  // biome-ignore lint/suspicious/noExplicitAny: rows of any database can be counted.
  db: Kysely<any>,
  // biome-ignore lint/suspicious/noExplicitAny: and of any table.
  query: SelectQueryBuilder<any, any, object>,
): Promise<number> {
  const bounded = query.select(sql<number>`1`.as('one')).limit(MOST_COUNTED + 1);
  const { count } = await db
    .selectFrom(bounded.as('counted'))
    .select((select) => select.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  // PostgreSQL returns counts as text.
  return Number(count);
}

export interface ShownCount {
  count: number;
  /** False if there are more than `count`. */
  is_exact: boolean;
}

/** `counted` may be more than the bound. */
export function showCount(counted: number): ShownCount {
  return { count: Math.min(counted, MOST_COUNTED), is_exact: counted <= MOST_COUNTED };
}

/**
 * What lists are sorted by, exactly as their indexes spell it: another spelling would sort the whole table.
 * list-plans.test.ts checks it. This one ignores the case of letters; on the embedded engine only of ASCII letters.
 */
export const NAME = sql<string>`lower(name)`;

/** Keys that never expire come after all others. */
export const EXPIRY = sql<number>`coalesce(expires_at, ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`;

/** The rows of a record's table, each by its key. */
export function rowsOf<Row extends object>(
  table: RecordTable['table'],
  key: keyof Row & string,
  missing: ProblemCode,
) {
  const column: string = key;
  // biome-ignore lint/suspicious/noExplicitAny: Kysely cannot infer the columns of a table that varies.
  const on = (db: Database) => db as unknown as Kysely<any>;
  const rowOf = (db: Database, id: string) =>
    on(db).selectFrom(table).selectAll().where(column, '=', id).$castTo<Row>();
  const orNotFound = (row: Row | undefined): Row => {
    if (!row) throw new Problem(missing);
    return row;
  };
  return {
    read: (db: Database, id: string): Promise<Row | undefined> => rowOf(db, id).executeTakeFirst(),
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
    async patch(db: Database, id: string, columns: Partial<Row>): Promise<void> {
      await on(db).updateTable(table).set(columns).where(column, '=', id).execute();
    },
  };
}

/**
 * Whether a name contains the typed text, ignoring case. LIKE ignores the case of ASCII letters only: in
 * SQLite always, in PostgreSQL under some locales. Other letters are matched by patterns with both cases.
 */
export function nameContains(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
  typed: string,
): RawBuilder<SqlBool> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII.
  const isAscii = /^[\x00-\x7f]*$/.test(typed);
  if (isAscii) {
    const pattern = `%${escapeLike(typed)}%`;
    return isPostgres(db)
      ? sql`name ilike ${pattern} escape '\\'`
      : sql`name like ${pattern} escape '\\'`;
  }
  return isPostgres(db)
    ? sql`name ~ ${inBothCases(typed, /[\\^$.*+?()[\]{}|]/)}`
    : sql`name glob ${`*${inBothCases(typed, /[*?[]/)}*`}`;
}

/** For patterns with `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** A pattern of character classes, which GLOB and regular expressions share. */
function inBothCases(typed: string, special: RegExp): string {
  return Array.from(typed, (char) => {
    const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase()])];
    // The upper case of some letters, such as ß, is two letters, which no class can match.
    const single = cases.filter((one) => [...one].length === 1);
    if (single.length > 1) return `[${single.join('')}]`;
    if (!special.test(char)) return char;
    return char === '^' || char === '\\' ? `\\${char}` : `[${char}]`;
  }).join('');
}

/**
 * Finds the records of a list: narrowed, searched and sorted by what an index serves. list-plans.test.ts checks it for
 * each order of each list.
 */
import { type ListName, type Only, type Order, ordersOf } from '@bellhop/rules/lists';
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../store/schema.ts';
import { readNewest, readSorted, type Slice } from '../store/slice.ts';
import { countRows, MOST_COUNTED } from './count-queries.ts';
import { countByIds, readByIds } from './look-up-by-ids.ts';
import { NAME, NAMES_SEARCHED, nameContains } from './name-queries.ts';
import type { SortedBy } from './page.ts';
import { type Condition, columnsIn, type IdSource, type RecordTable } from './record.ts';

// Spelt as in the indexes: another spelling would sort the whole table.
/** Keys that never expire come after all others. */
export const EXPIRES = `coalesce(expires_at, ${Number.MAX_SAFE_INTEGER})`;
/** The last call of a key, or when it was created. */
export const USED = 'coalesce(last_used_on, created_at)';

/** What a list can be sorted by besides the time of creation. A look-up by ids ignores it: its order is that of the ids. */
const expressions: Readonly<Record<string, { by: RawBuilder<unknown>; sortedBy: SortedBy }>> = {
  name: { by: NAME, sortedBy: 'text' },
  expires_at: { by: sql.raw(EXPIRES), sortedBy: 'number' },
  last_used_on: { by: sql.raw(USED), sortedBy: 'number' },
};

/** Part of the name, and columns with the value that they must have. */
export interface Search {
  name?: string | undefined;
  partner_id?: string | undefined;
  midoffice_id?: string | undefined;
}

export interface Wanted<List extends ListName> {
  search?: Search;
  only?: Only<List> | undefined;
  order?: Order<List>;
  nowMs?: number;
}

/** `sorted_by` is the place of the row in the order of its list. */
export type Placed<Row> = Row & { sorted_by: number | string };

// biome-ignore lint/suspicious/noExplicitAny: Kysely cannot infer the columns of a table that varies.
type Anything = any;
type Query = SelectQueryBuilder<Anything, Anything, object>;

/** In the default order, or in one of the others that the list has. */
export async function readRecords<Row extends object, List extends ListName>(
  db: Database,
  list: List,
  record: RecordTable<Row>,
  slice: Omit<Slice, 'ascending'>,
  { search = {}, only, order = ordersOf(list, only)[0], nowMs = 0 }: Wanted<List>,
): Promise<Placed<Row>[]> {
  const { key } = record;
  const ascending = isAscending(order);
  const expression = expressions[fieldOf(order)];
  const by = expression?.by ?? sql`created_at`;
  const parts: Placed<Row>[][] = [];
  const { source, queries } = narrowedTo(db, record, { search, only, nowMs });
  for (const narrowed of queries) {
    const { name } = search;
    const query = (name === undefined ? narrowed : narrowed.where(nameContains(db, name)))
      .selectAll()
      .select(by.as('sorted_by'))
      .$castTo<Placed<Row>>();
    if (source) {
      const { limit, after } = slice;
      const lookup = { query, key, byName: name !== undefined };
      return readByIds(db, source, lookup, { limit, after: after?.[1], ascending });
    }
    parts.push(
      expression
        ? await readSorted(query, { ...slice, ascending }, { by, id: key })
        : await readNewest(query, { ...slice, ascending }, { time: 'created_at', id: key }),
    );
  }
  const [first = [], ...others] = parts;
  if (others.length === 0) return first;
  const sign = ascending ? 1 : -1;
  const compare = (a: Placed<Row>, b: Placed<Row>) =>
    a.sorted_by === b.sorted_by ? (a[key] < b[key] ? -1 : 1) : a.sorted_by < b.sorted_by ? -1 : 1;
  return parts
    .flat()
    .sort((a, b) => sign * compare(a, b))
    .slice(0, slice.limit);
}

/** See `countRows`. Looks for a name among as many records as a search does. */
export async function countRecords<List extends ListName>(
  db: Database,
  record: RecordTable<Anything>,
  { search = {}, only, nowMs = 0 }: Wanted<List>,
): Promise<number> {
  let counted = 0;
  const { source, queries } = narrowedTo(db, record, { search, only, nowMs });
  for (const query of queries) {
    if (source) {
      const { name } = search;
      const found = name === undefined ? query : query.where(nameContains(db, name));
      const lookup = { query: found, key: record.key, byName: name !== undefined };
      return countByIds(db, source, lookup);
    }
    const found = search.name === undefined ? query : named(db, query, record.key, search.name);
    if (counted <= MOST_COUNTED) counted += await countRows(db, found);
  }
  return counted;
}

/** Whether the positions of the order are times or texts. */
export function sortedBy(order: string): SortedBy {
  return expressions[fieldOf(order)]?.sortedBy ?? 'number';
}

export function isAscending(order: string): boolean {
  return !order.startsWith('-');
}

function fieldOf(order: string): string {
  return order.replace(/^-/, '');
}

interface Narrowed {
  /** A query for each of the conditions that exclude each other. */
  queries: Query[];
  /** What only this finds, of the one query. */
  source?: IdSource;
}

function narrowedTo(
  db: Database,
  { table, fields }: RecordTable<Anything>,
  { search, only, nowMs }: { search: Search; only: string | undefined; nowMs: number },
): Narrowed {
  const { name: _, ...equal } = search;
  let query: Query = (db as Anything as Kysely<Anything>).selectFrom(table);
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) query = query.where(column, '=', value);
  }
  if (only === undefined) return { queries: [query] };
  const condition = conditionOf(fields as object, only);
  if (typeof condition === 'object' && 'readIds' in condition) {
    return { queries: [query], source: condition };
  }
  const texts = typeof condition === 'function' ? condition(nowMs) : condition;
  return { queries: [texts].flat().map((text) => query.where(sql.raw<boolean>(text))) };
}

function conditionOf(fields: object, word: string): Condition {
  for (const [, column] of columnsIn(fields)) {
    const condition = column.only?.[word];
    if (condition !== undefined) return condition;
  }
  throw new Error(`no field says which records are ${word}`);
}

/** Among the newest. An index has these columns, so that the records themselves are not read. */
function named(db: Database, query: Query, key: string, name: string): Query {
  const newest = query
    .select([key, 'name'])
    .orderBy('created_at', 'desc')
    .orderBy(key, 'desc')
    .limit(NAMES_SEARCHED);
  return (db as Anything as Kysely<Anything>)
    .selectFrom(newest.as('newest'))
    .where(nameContains(db, name));
}

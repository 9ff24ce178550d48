/** Lists of records that another table names: its ids are read in pages, and each page is looked up. */
import type { SelectQueryBuilder } from 'kysely';
import { readPages } from '../base/pages.ts';
import type { Database } from '../store/schema.ts';
import { MOST_COUNTED } from './count-queries.ts';
import { NAMES_LOOKED_UP } from './name-queries.ts';
import type { IdSource, IdSteps } from './record.ts';

/** A count or a search by name looks up so many at a time. */
const LOOKED_UP_AT_ONCE = 1_000;

/** Finds the records with the ids by everything else that they must meet. */
export interface Lookup<Row> {
  // biome-ignore lint/suspicious/noExplicitAny: Kysely cannot infer the columns of a table that varies.
  query: SelectQueryBuilder<any, any, Row>;
  key: string;
  /** Most of them may not match, so it ends after `NAMES_LOOKED_UP`. */
  byName: boolean;
}

export async function readByIds<Row extends object>(
  db: Database,
  { readIds }: IdSource,
  { query, key, byName }: Lookup<Row>,
  { limit, ...from }: IdSteps,
): Promise<Row[]> {
  const found: Row[] = [];
  const steps = { ...from, limit: byName ? LOOKED_UP_AT_ONCE : limit };
  for await (const ids of pages(db, { readIds }, steps, byName)) {
    const rows = await query.where(key, 'in', ids).execute();
    const byId = new Map(rows.map((row) => [row[key as keyof Row] as string, row]));
    found.push(...ids.flatMap((id) => byId.get(id) ?? []));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** More than `MOST_COUNTED` means that there are more. From the newest ones, as a list of them. */
export async function countByIds(
  db: Database,
  { readIds }: IdSource,
  { query, key, byName }: Lookup<object>,
): Promise<number> {
  let counted = 0;
  const steps = { limit: LOOKED_UP_AT_ONCE, ascending: false };
  for await (const ids of pages(db, { readIds }, steps, byName)) {
    counted += (await query.select(key).where(key, 'in', ids).execute()).length;
    if (counted > MOST_COUNTED) break;
  }
  return counted;
}

async function* pages(
  db: Database,
  { readIds }: IdSource,
  { limit, after, ascending }: IdSteps,
  byName: boolean,
): AsyncGenerator<readonly string[]> {
  let lookedUp = 0;
  const steps = readPages<string>(limit, (last = after) =>
    readIds(db, { limit, after: last, ascending }),
  );
  for await (const ids of steps) {
    yield ids;
    lookedUp += ids.length;
    if (byName && lookedUp >= NAMES_LOOKED_UP) return;
  }
}

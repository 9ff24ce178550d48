/** Lists of records that another table names: it is walked from id to id, and each page of ids is looked up. */
import type { SelectQueryBuilder } from 'kysely';
import type { Database } from '../store/schema.ts';
import { MOST_COUNTED } from './count-queries.ts';
import type { IdSteps, Walk } from './record.ts';

// biome-ignore lint/suspicious/noExplicitAny: Kysely cannot infer the columns of a table that varies.
type Query<Row> = SelectQueryBuilder<any, any, Row>;

/** A count looks up so many at a time. */
const COUNTED_AT_ONCE = 1_000;

/** `query` finds records by everything else that they must meet. */
export async function readWalked<Row extends object>(
  db: Database,
  { walk }: Walk,
  query: Query<Row>,
  key: string,
  steps: IdSteps,
): Promise<Row[]> {
  const found: Row[] = [];
  for await (const ids of pages(db, { walk }, steps)) {
    const rows = await query.where(key, 'in', ids).execute();
    const byId = new Map(rows.map((row) => [row[key as keyof Row] as string, row]));
    found.push(...ids.flatMap((id) => byId.get(id) ?? []));
    if (found.length >= steps.limit) break;
  }
  return found.slice(0, steps.limit);
}

/** More than `MOST_COUNTED` means that there are more. */
export async function countWalked(
  db: Database,
  { walk }: Walk,
  query: Query<object>,
  key: string,
): Promise<number> {
  let counted = 0;
  for await (const ids of pages(db, { walk }, { limit: COUNTED_AT_ONCE })) {
    counted += (await query.select(key).where(key, 'in', ids).execute()).length;
    if (counted > MOST_COUNTED) break;
  }
  return counted;
}

async function* pages(db: Database, { walk }: Walk, steps: IdSteps): AsyncGenerator<string[]> {
  for (let after = steps.after; ; ) {
    const ids = await walk(db, { ...steps, after });
    if (ids.length > 0) yield ids;
    if (ids.length < steps.limit) return;
    after = ids.at(-1);
  }
}

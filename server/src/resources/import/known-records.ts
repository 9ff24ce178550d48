/** What an environment already has of the records that an import names. */
import { sql } from 'kysely';
import type {
  ApiKeyRow,
  Database,
  ImportedRefRow,
  MidofficeRow,
  PartnerRow,
} from '../../store/schema.ts';
import { type RecordName, records } from './imported-fields.ts';

/** By ref: the ids that earlier imports gave to these refs, and refs that are ids themselves. */
export async function readIdsOfRefs(
  db: Database,
  kind: ImportedRefRow['kind'],
  refs: readonly string[],
): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map();
  const own = await db.selectFrom(kind).select('id').where('id', 'in', refs).execute();
  const imported = await db
    .selectFrom('imported_ref')
    .select(['ref', 'id'])
    .where('kind', '=', kind)
    .where('ref', 'in', refs)
    .execute();
  return new Map([
    ...own.map(({ id }) => [id, id] as const),
    ...imported.map(({ ref, id }) => [ref, id] as const),
  ]);
}

/** By id: the refs under which these records were imported. */
export async function readRefsOfIds(
  db: Database,
  kind: ImportedRefRow['kind'],
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('imported_ref')
    .select(['ref', 'id'])
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ ref, id }) => [id, ref]));
}

export const readPartners = readerOf<PartnerRow>('partner');
export const readKeys = readerOf<ApiKeyRow>('api_key');
export const readMidoffices = readerOf<MidofficeRow>('midoffice');

/** By id. */
function readerOf<Row extends object>(table: RecordName) {
  const { key } = records[table];
  return async (db: Database, ids: readonly string[]): Promise<Map<string, Row>> => {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${sql.ref(key)} in (${sql.join(ids)})`.execute(db);
    return new Map(rows.map((row) => [row[key as keyof Row] as string, row]));
  };
}

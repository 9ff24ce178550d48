/** What an environment already has of the records that an import names. */
import type {
  ApiKeyRow,
  Database,
  ImportedRefRow,
  MidofficeRow,
  PartnerRow,
} from '../store/schema.ts';

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

export async function readPartners(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, PartnerRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('partner').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export async function readKeys(
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, ApiKeyRow>> {
  if (keyIds.length === 0) return new Map();
  const rows = await db.selectFrom('api_key').selectAll().where('key_id', 'in', keyIds).execute();
  return new Map(rows.map((row) => [row.key_id, row]));
}

export async function readMidoffices(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, MidofficeRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('midoffice').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Finds out which records exist here already, and gives ids to the new ones. */
import { newId } from '../../base/ids.ts';
import type { ImportedRefRow } from '../../store/schema.ts';
import { noSuch } from './findings.ts';
import type { Plan } from './plan.ts';
import { readIdsOfRefs, readRefsOfIds } from './queries.ts';
import type { StagedRecord } from './staging.ts';

export async function identifyRecords(plan: Plan): Promise<void> {
  await identify(plan, 'partner', 'par');
  await identify(plan, 'midoffice', 'mid');
  await addKeysOfGrants(plan);
}

/** A record is found by its id if the line has one, otherwise by its ref. */
async function identify(
  { db, staging, findings, nowMs }: Plan,
  kind: ImportedRefRow['kind'],
  prefix: 'par' | 'mid',
): Promise<void> {
  for await (const page of staging.pages(kind)) {
    const byRef = await readIdsOfRefs(
      db,
      kind,
      page.map(({ ref }) => ref),
    );
    const ids = page.flatMap(({ id, ref }) => id ?? byRef.get(ref) ?? []);
    const refOf = await readRefsOfIds(db, kind, ids);
    for (const record of page) {
      if (record.action === 'invalid') continue;
      const { line, ref } = record;
      const conflict = conflictOf(record, byRef, refOf);
      const id = record.id ?? byRef.get(ref) ?? newId(prefix, nowMs);
      const isNewRef = ref !== id && byRef.get(ref) !== id;
      const other = conflict ? undefined : staging.setId(record, id, isNewRef);
      const detail =
        conflict ?? (other === undefined ? undefined : `is the same ${kind} as on line ${other}`);
      if (detail === undefined) continue;
      findings.error(line, '/ref', detail);
      staging.decide(line, 'invalid');
    }
  }
}

function conflictOf(
  { id, ref }: StagedRecord,
  byRef: ReadonlyMap<string, string>,
  refOf: ReadonlyMap<string, string>,
): string | undefined {
  if (id === null) return undefined;
  const known = byRef.get(ref);
  if (known !== undefined && known !== id) return `was imported as ${known} before, not as ${id}`;
  const knownRef = refOf.get(id);
  if (knownRef !== undefined && knownRef !== ref && ref !== id) {
    return `must be "${knownRef}", with which ${id} was imported before`;
  }
  return undefined;
}

/** Grants may be for a key that has no line, and is known here. */
async function addKeysOfGrants({ db, staging, findings }: Plan): Promise<void> {
  for await (const page of staging.grantedKeys()) {
    const refs = page.flatMap(({ ref, isInside }) => (isInside ? [] : ref));
    const known = await readIdsOfRefs(db, 'key', refs);
    for (const ref of refs) {
      if (known.has(ref)) staging.addKeyOfGrants(ref);
      else {
        for (const { line } of staging.grantsTo(ref)) {
          findings.error(line, '/key_ref', noSuch('key'));
        }
      }
    }
  }
}

/** Finds out which records exist here already, gives ids to the new ones, and follows the references. */
import { newId } from '../../base/ids.ts';
import {
  readIdsOfRefs,
  readKeys,
  readMidoffices,
  readPartners,
  readRefsOfIds,
} from './known-records.ts';
import type { Plan } from './plan-record.ts';
import { grantedOn, type StagedPartner } from './stage.ts';
import type { ResolvedRecord, StagedKind } from './staging.ts';

export async function resolveRefs(plan: Plan): Promise<void> {
  await identify(plan, 'partner');
  await identify(plan, 'midoffice');
  await followToPartners(plan);
  await followToMidoffices(plan);
  await followToKeys(plan);
}

const PREFIX = { partner: 'par', midoffice: 'mid' } as const;

/** A record is found by its id if the line has one, otherwise by its ref. */
async function identify(
  { db, staging, findings, nowMs }: Plan,
  kind: 'partner' | 'midoffice',
): Promise<void> {
  for await (const page of staging.pages(kind)) {
    const byRef = await readIdsOfRefs(
      db,
      kind,
      page.map(({ ref }) => ref),
    );
    const ids = page.flatMap(({ id, ref }) => id ?? byRef.get(ref) ?? []);
    const refOf = await readRefsOfIds(db, kind, ids);
    const partners = kind === 'partner' ? await readPartners(db, ids) : undefined;
    for (const record of page) {
      if (record.action === 'invalid') continue;
      const { line, ref, body } = record;
      const conflict = conflictOf(record, byRef, refOf);
      const id = record.id ?? byRef.get(ref) ?? newId(PREFIX[kind], nowMs);
      const isCertified =
        typeof (JSON.parse(body) as StagedPartner).certified_at === 'number' ||
        typeof partners?.get(id)?.certified_at === 'number';
      const isNewRef = ref !== id && byRef.get(ref) !== id;
      const other = conflict ? undefined : staging.setId(record, id, { isCertified, isNewRef });
      const detail =
        conflict ?? (other === undefined ? undefined : `is the same ${kind} as on line ${other}`);
      if (detail === undefined) continue;
      findings.error(line, '/ref', detail);
      staging.decide(line, 'invalid');
    }
  }
}

function conflictOf(
  { id, ref }: ResolvedRecord,
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

async function followToPartners(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  await follow(plan, 'partner', async (refs) => {
    const ids = await readIdsOfRefs(db, 'partner', refs);
    const rows = await readPartners(db, [...ids.values()]);
    for (const [ref, id] of ids) {
      staging.pointOutside('partner', ref, id, rows.get(id)?.certified_at !== null);
    }
  });
}

async function followToMidoffices(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  await follow(plan, 'midoffice', async (refs) => {
    const ids = await readIdsOfRefs(db, 'midoffice', refs);
    const rows = await readMidoffices(db, [...ids.values()]);
    for (const [ref, id] of ids) if (rows.has(id)) staging.pointOutside('midoffice', ref, id);
  });
}

async function followToKeys(plan: Plan): Promise<void> {
  const { db, staging, findings } = plan;
  await follow(plan, 'key', async (refs) => {
    const rows = await readKeys(db, refs);
    for (const ref of refs) {
      if (rows.has(ref)) {
        staging.pointOutside('key', ref, ref);
        staging.addKeyOfGrants(ref);
      } else {
        for (const { line } of staging.grantsOf(ref)) {
          findings.error(line, '/key_ref', noSuch('key'));
        }
      }
    }
  });
}

/**
 * A reference leads to a record of the file, by its ref or else by its id, or to one that exists here already: to a
 * record of an earlier file by its ref, and to any other by its id. `findOutside` looks for the latter.
 */
async function follow(
  plan: Plan,
  kind: StagedKind,
  findOutside: (refs: string[]) => Promise<void>,
): Promise<void> {
  for await (const page of plan.staging.references(kind)) {
    for (const { ref, inside } of page) {
      if (inside === null || inside === ref) continue;
      plan.staging.pointInside(kind, ref, inside);
      if (kind === 'key') joinGrants(plan, ref, inside);
    }
    await findOutside(page.flatMap(({ ref, inside }) => (inside === null ? ref : [])));
  }
}

/** Grants may name one key by its key id and by its ref. */
function joinGrants({ staging, findings }: Plan, keyId: string, ref: string): void {
  const lines = new Map(staging.grantsOf(ref).map(({ endpoint, line }) => [endpoint, line]));
  for (const { endpoint, line } of staging.grantsOf(keyId)) {
    const other = lines.get(endpoint);
    if (other === undefined) continue;
    findings.error(Math.max(line, other), '/endpoint', grantedOn(Math.min(line, other)));
  }
  staging.moveGrants(keyId, ref);
}

/** For a reference that leads nowhere. */
export function noSuch(kind: StagedKind): string {
  return `must be the ref of a ${kind} in this file, or of one that exists already`;
}

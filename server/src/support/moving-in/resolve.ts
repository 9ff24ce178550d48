/** Finds out which records exist here already, and gives ids to the new ones. */
import { newId } from '../../ids.ts';
import {
  readIdsOfRefs,
  readKeys,
  readMidoffices,
  readPartners,
  readRefsOfIds,
} from '../../store/moving-in/known-records.ts';
import type { ResolvedRecord, Staging } from '../../store/moving-in/staging.ts';
import type { Database } from '../../store/schema.ts';
import type { Findings } from './findings.ts';
import { inPages, PAGE } from './pages.ts';

interface Parts {
  db: Database;
  staging: Staging;
  findings: Findings;
  nowMs: number;
}

export async function resolveRefs(parts: Parts): Promise<void> {
  await identify(parts, 'partner');
  await identify(parts, 'midoffice');
  await findOutside(parts);
}

type Named = 'partner' | 'midoffice';

const PREFIX = { partner: 'par', midoffice: 'mid' } as const;

/** A record is found by its id if the line has one, otherwise by its ref. */
async function identify({ db, staging, findings, nowMs }: Parts, kind: Named): Promise<void> {
  await inPages(staging, kind, async (page) => {
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
      const conflict = conflictOf(record, byRef, refOf);
      const id = record.id ?? byRef.get(record.ref) ?? newId(PREFIX[kind], nowMs);
      const isCertified =
        typeof JSON.parse(record.body).certified_at === 'string' ||
        typeof partners?.get(id)?.certified_at === 'number';
      const other = conflict ? undefined : staging.setId(record, id, isCertified);
      const detail =
        conflict ?? (other === undefined ? undefined : `is the same ${kind} as on line ${other}`);
      if (detail === undefined) continue;
      findings.error(record.line, '/ref', detail);
      staging.decide(record.line, 'invalid');
    }
  });
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

/** A file may refer to records of earlier files, and to any other record by its id. */
async function findOutside({ db, staging, findings }: Parts): Promise<void> {
  for (const refs of staging.refsOutside('partner', PAGE)) {
    const ids = await readIdsOfRefs(db, 'partner', refs);
    const rows = await readPartners(db, [...ids.values()]);
    for (const [ref, id] of ids) {
      staging.addOutside('partner', ref, id, rows.get(id)?.certified_at !== null);
    }
  }
  for (const refs of staging.refsOutside('midoffice', PAGE)) {
    const ids = await readIdsOfRefs(db, 'midoffice', refs);
    const rows = await readMidoffices(db, [...ids.values()]);
    for (const [ref, id] of ids) if (rows.has(id)) staging.addOutside('midoffice', ref, id);
  }
  for (const refs of staging.refsOutside('key', PAGE)) {
    const rows = await readKeys(db, refs);
    for (const keyId of rows.keys()) staging.addOutside('key', keyId, keyId);
  }
  for (const line of staging.grantsOfUnknownKeys()) {
    findings.error(line, '/key_ref', noSuch('key'));
  }
  staging.addKeysOfGrants();
}

/** For a reference that leads nowhere. */
export function noSuch(kind: 'partner' | 'key' | 'midoffice'): string {
  return `must be the ref of a ${kind} in this file, or of one that exists already`;
}

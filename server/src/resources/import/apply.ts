/**
 * Writes what was decided, in one transaction: all of it and one audit entry, or nothing. If rows were
 * changed since the import compared them, it refuses the whole file, and the sender repeats it.
 */

import { isDeadlock } from '../../base/database-errors.ts';
import type { Grant } from '../../base/grants.ts';
import type { ApiKeyRow, MidofficeRow, PartnerRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { keepWithdrawnGrant } from '../grants/queries.ts';
import { followKeys } from '../keys/change-key.ts';
import { followMidoffices } from '../midoffices/change-midoffice.ts';
import { followPartners } from '../partners/change-partner.ts';
import { Problem } from '../problem.ts';
import type { Changed } from '../record.ts';
import { insertRows, updateRows } from './queries.ts';
import type { Staging } from './staging.ts';

export async function applyImport(
  { store }: Pick<SupportEnvironment, 'store'>,
  actor: string,
  staging: Staging,
  audited: object,
): Promise<void> {
  try {
    await store.change(actor, async (change) => {
      await insertAll(change, staging);
      await updateAll(change, staging);
      await followAll(change, actor, staging);
      await change.audit('records.import', 'records', null, audited);
    });
  } catch (error) {
    if (isDeadlock(error)) throw new Problem('changed_meanwhile');
    throw error;
  }
}

/**
 * Keys refer to partners and grant sets, and midoffices to keys. A ref that another node has imported meanwhile also
 * refuses the import: otherwise, a new record would be a second one of that ref.
 */
async function insertAll({ db, invalidate }: Change, staging: Staging): Promise<void> {
  const insert = async (...[table, rows]: InsertedRows) =>
    expectAll(rows, await insertRows(db, table, rows));
  for await (const rows of staging.created('partner')) await insert('partner', rows);
  for await (const sets of staging.grantSets()) await insertRows(db, 'grant_set', sets);
  for await (const rows of staging.created('key')) await insert('api_key', rows);
  for await (const rows of staging.created('midoffice')) {
    await insert('midoffice', rows);
    await invalidate(rows.map((row) => (JSON.parse(row) as MidofficeRow).id));
  }
  for (const kind of ['partner', 'midoffice'] as const) {
    for await (const refs of staging.newRefs(kind)) await insert('imported_ref', refs);
  }
}

type InsertedRows = [table: Parameters<typeof insertRows>[1], rows: readonly string[]];

async function updateAll({ db }: Change, staging: Staging): Promise<void> {
  for (const kind of ['partner', 'key', 'midoffice'] as const) {
    for await (const rows of staging.changed<object>(kind)) {
      expectAll(rows, await updateRows(db, kind, rows));
    }
  }
}

/** A key that loses grants keeps them as its last ones. */
export type ChangedKey = Changed<ApiKeyRow> & { withdrawn: readonly Grant[] };

/** What the same changes bring about when support makes them. */
async function followAll(change: Change, actor: string, staging: Staging): Promise<void> {
  for await (const rows of staging.changed<ApiKeyRow, ChangedKey>('key')) {
    for (const { after, withdrawn } of rows) {
      for (const grant of withdrawn) await keepWithdrawnGrant(change.db, after.key_id, grant);
    }
    await followKeys(change, rows);
  }
  const urlsBefore = new Map<string, string>();
  for await (const rows of staging.changed<MidofficeRow>('midoffice')) {
    await followMidoffices(change, actor, rows);
    for (const { before, after } of rows) {
      if (after.url !== before.url) urlsBefore.set(after.id, before.url);
    }
  }
  for await (const rows of staging.changed<PartnerRow>('partner')) {
    await followPartners(change, actor, rows, urlsBefore);
  }
}

function expectAll({ length }: { length: number }, written: number): void {
  if (written !== length) throw new Problem('changed_meanwhile');
}

/**
 * Writes what was decided, in one transaction: all of it and one audit entry, or nothing. If rows were
 * changed since the import compared them, it refuses the whole file, and the sender repeats it.
 */

import { isDeadlock } from '../../base/database-errors.ts';
import type { Grant } from '../../base/grants.ts';
import type { MidofficeRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { keepWithdrawnGrant } from '../grants/queries.ts';
import { keyIdsOf } from '../keys/queries.ts';
import { followMoves, followNewUrls } from '../midoffices/follow-new-url.ts';
import { endSessionsOf } from '../portal/sessions.ts';
import { Problem } from '../problem.ts';
import { type BulkTable, insertRows, updateRows } from './bulk.ts';
import type { StagedKind, Staging, Writes } from './staging.ts';

export async function applyImport(
  { store }: Pick<SupportEnvironment, 'store'>,
  actor: string,
  staging: Staging,
  audited: object,
): Promise<void> {
  try {
    await store.change(actor, async (change) => {
      await insertAll(change, staging);
      await updateAll(change, actor, staging);
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
  const insert = async (table: BulkTable, writes: Writes) => {
    expectAll(writes, await insertRows(db, table, writes));
  };
  for await (const writes of staging.writes('partner', 'create')) {
    await insert('partner', writes);
  }
  for await (const sets of staging.grantSets()) await insertRows(db, 'grant_set', sets);
  for await (const writes of staging.writes('key', 'create')) {
    await insert('api_key', writes);
  }
  for await (const writes of staging.writes('midoffice', 'create')) {
    await insert('midoffice', writes);
    await invalidate(idsIn(writes));
  }
  for (const kind of ['partner', 'midoffice'] as const) {
    for await (const refs of staging.newRefs(kind)) {
      await insert('imported_ref', refs);
    }
  }
}

async function updateAll(change: Change, actor: string, staging: Staging): Promise<void> {
  const { db, now } = change;
  const each = async (
    kind: StagedKind,
    table: 'partner' | 'api_key' | 'midoffice',
    announce: (rows: Changed[]) => Promise<void>,
  ) => {
    for await (const writes of staging.writes(kind, 'change')) {
      expectAll(writes, await updateRows(db, table, writes));
      await announce(JSON.parse(writes.json));
    }
  };
  await each('partner', 'partner', async (rows) => {
    for (const { id, suspended, was_suspended: before } of rows) {
      if (suspended !== before) await change.invalidate(await keyIdsOf(db, id));
      if (suspended && !before) await endSessionsOf(change, { partnerId: id });
    }
  });
  await each('key', 'api_key', async (rows) => {
    for (const { key_id: keyId, withdrawn = [] } of rows) {
      for (const grant of withdrawn) await keepWithdrawnGrant(db, keyId, grant);
    }
    await change.invalidate(rows.map(({ key_id }) => key_id));
  });
  const urlsBefore = new Map<string, string>();
  await each('midoffice', 'midoffice', async (rows) => {
    const urls = rows.map(({ id, url, was_url }) => ({ id, before: was_url, after: url }));
    await followNewUrls(db, actor, urls, now);
    for (const { id, before, after } of urls) if (after !== before) urlsBefore.set(id, before);
    for (const { id, delivery_order, was_delivery_order } of rows) {
      if (delivery_order !== was_delivery_order) {
        await change.queue.restateOrder(id);
      }
    }
    const ids = rows.map(({ id }) => id);
    await change.invalidate(ids);
    await change.lanesChanged(ids);
  });
  // At the end, when their midoffices have the URLs that they will have.
  for await (const { json } of staging.writes('partner', 'change')) {
    const rows: Changed[] = JSON.parse(json);
    const moved = rows.map((row) => ({
      id: row.id,
      from: row.was_midoffice_id,
      to: row.midoffice_id,
    }));
    await followMoves(db, actor, moved, now, urlsBefore);
  }
}

interface Changed {
  id: string;
  key_id: string;
  suspended: number;
  was_suspended: number;
  midoffice_id: string | null;
  was_midoffice_id: string | null;
  url: string;
  was_url: string;
  delivery_order: MidofficeRow['delivery_order'];
  was_delivery_order: MidofficeRow['delivery_order'];
  withdrawn?: Grant[];
}

function idsIn({ json }: Writes): string[] {
  return (JSON.parse(json) as { id: string }[]).map(({ id }) => id);
}

function expectAll({ count }: Writes, written: number): void {
  if (written !== count) throw new Problem('changed_meanwhile');
}

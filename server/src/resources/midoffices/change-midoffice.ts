import { newId } from '../../ids.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findUnrevokedKey } from '../keys/key.ts';
import { columnsOf, newRow } from '../record.ts';
import { oneWithHealth } from './health.ts';
import {
  checkedUrl,
  type Midoffice,
  type MidofficeChanges,
  midoffice,
  type NewMidoffice,
  queuedFor,
  showMidoffice,
} from './midoffice.ts';
import { midoffices } from './queries.ts';

export async function createMidoffice(
  environment: SupportEnvironment,
  actor: string,
  input: NewMidoffice,
): Promise<Midoffice> {
  // Outside the transaction, because it waits for name servers.
  const url = await checkedUrl(environment, input.url);
  return environment.store.change(actor, async ({ db, now, audit, invalidate }) => {
    await findUnrevokedKey(db, input.signing_key_id);
    const columns = { ...columnsOf(midoffice, input), url };
    const row = newRow(midoffice, { id: newId('mid', now), created_at: now, ...columns });
    await midoffices.insert(db, row);
    await invalidate([row.id]);
    await audit('midoffice.create', row.id, null, showMidoffice(row));
    return { ...showMidoffice(row), health: 'untested' };
  });
}

export async function updateMidoffice(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  input: MidofficeChanges,
): Promise<Midoffice> {
  const given = columnsOf(midoffice, input);
  const columns = {
    ...given,
    ...(given.url !== undefined && { url: await checkedUrl(environment, given.url) }),
  };
  const changed = await environment.store.change(
    actor,
    async ({ db, audit, invalidate, lanesChanged, queue }) => {
      const before = await midoffices.findToChange(db, id);
      if (input.signing_key_id !== undefined) await findUnrevokedKey(db, input.signing_key_id);
      await midoffices.patch(db, id, columns);
      const after = { ...before, ...columns };
      // Applies the new order to pending deliveries too.
      if (after.delivery_order !== before.delivery_order)
        await queue.restateOrder(queuedFor(after));
      await invalidate([id]);
      await lanesChanged([id]);
      await audit('midoffice.update', id, showMidoffice(before), showMidoffice(after));
      return showMidoffice(after);
    },
  );
  return oneWithHealth(environment.store.db, changed);
}

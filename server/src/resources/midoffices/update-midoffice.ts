import type { SupportEnvironment } from '../environment.ts';
import { findUnrevokedKey } from '../keys/keys.ts';
import type { NewMidoffice } from './create-midoffice.ts';
import { type MidofficeHealth, oneWithHealth } from './health.ts';
import {
  checkedUrl,
  midofficeToChange,
  queuedFor,
  type ShownMidoffice,
  showMidoffice,
} from './midoffices.ts';
import { patchMidoffice } from './queries.ts';

export type MidofficeChanges = Partial<NewMidoffice> & { paused?: boolean };

export async function updateMidoffice(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { paused, ...changes }: MidofficeChanges,
): Promise<ShownMidoffice & { health: MidofficeHealth }> {
  if (changes.url !== undefined) changes.url = await checkedUrl(environment, changes.url);
  const changed = await environment.store.change(
    actor,
    async ({ db, audit, invalidate, lanesChanged, queue }) => {
      const before = await midofficeToChange(db, id);
      if (changes.signing_key_id !== undefined) await findUnrevokedKey(db, changes.signing_key_id);
      const columns = { ...changes, ...(paused !== undefined && { paused: Number(paused) }) };
      await patchMidoffice(db, id, columns);
      if (
        changes.delivery_order !== undefined &&
        changes.delivery_order !== before.delivery_order
      ) {
        // Applies the new order to pending deliveries too.
        await queue.restateOrder(queuedFor({ id, delivery_order: changes.delivery_order }));
      }
      await invalidate([id]);
      await lanesChanged([id]);
      const after = { ...before, ...columns };
      await audit('midoffice.update', id, showMidoffice(before), showMidoffice(after));
      return showMidoffice(after);
    },
  );
  return oneWithHealth(environment.store.db, changed);
}

/**
 * A change that is too large for one transaction. Each batch is a transaction, and all of them write one audit
 * row: the first adds it, the others bring it up to date. So the row never says less than what was changed, even
 * if the process is killed in the middle, and `done` says whether it came to its end. People can follow it there.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeadlock } from '../base/database-errors.ts';
import { noteChangedDeliveries } from '../store/audit-partners.ts';
import type { Change, Store } from '../store/store.ts';

const TRIES = 5;

export interface Batch {
  /** What the audit says about all batches so far. */
  after: object;
  isLast: boolean;
  /** Deliveries that this batch has changed, of whichever partners. */
  seqs: readonly number[];
}

/**
 * `next` may run again for the same batch, so it must only remember what `committed` confirms. `continues` is the audit
 * row of an earlier part of the same change.
 */
export async function changeInBatches<T extends Batch>(
  store: Pick<Store, 'change'>,
  actor: string,
  {
    action,
    subject,
    continues,
  }: { action: string; subject: string; continues?: string | undefined },
  next: (change: Change) => Promise<T>,
  committed: (batch: T) => void,
): Promise<void> {
  let id = continues;
  for (;;) {
    const { batch, auditId } = await withoutDeadlock(() =>
      store.change(actor, async (change) => {
        const batch = await next(change);
        const after = { ...batch.after, done: batch.isLast };
        if (id !== undefined) await change.auditMore(id, after);
        const auditId = id ?? (await change.audit(action, subject, null, after));
        await noteChangedDeliveries(change.db, auditId, batch.seqs);
        return { batch, auditId };
      }),
    );
    id = auditId;
    committed(batch);
    if (batch.isLast) return;
    await nextTurn();
  }
}

async function withoutDeadlock<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isDeadlock(error) || tries === TRIES) throw error;
    }
  }
}

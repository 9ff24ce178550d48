/**
 * A change that is too large for one transaction. Each batch is a transaction, and all of them write one audit
 * row: the first adds it, the others bring it up to date. So the row never says less than what was changed, even
 * if the process is killed in the middle, and `done` says whether it came to its end. People can follow it there.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isDeadlock, ReadTimedOut, TooManyReads } from '../base/database-errors.ts';
import { noteChangedDeliveries } from '../store/audit-partners.ts';
import { MOST_AT_ONCE, type QueueVerbs } from '../store/queue/verbs.ts';
import type { Store } from '../store/store.ts';
import type { NamedSent } from './deliveries/sent.ts';

const TRIES = 5;
const TRIED_AGAIN_AFTER_MS = 200;

export interface ManyChanges<Found> {
  action: string;
  subject: string;
  /** The audit row of an earlier part of the same change. */
  continues?: string | undefined;
  /** The deliveries, in the order in which they are changed. */
  seqs: readonly number[];
  /**
   * Reads a batch before its transaction, which then only writes: on an embedded database, another thread reads, behind
   * what else the caller reads. Others may change these deliveries in between, so verbs change only those that are still
   * in the state in which they were found.
   */
  find(seqs: readonly number[]): Promise<Found>;
  /** Returns which deliveries it has changed, of whichever partners. It may run again for the same batch. */
  change(queue: QueueVerbs, found: Found): Promise<number[]>;
  /** What the audit says once so many are changed. */
  after(changed: number): object;
  /** Names what was sent to the caller. */
  named?: NamedSent | undefined;
}

/** Returns how many were changed. */
export async function changeInBatches<Found>(
  store: Pick<Store, 'change' | 'engine'>,
  actor: string,
  { action, subject, continues, seqs, find, change, after, named }: ManyChanges<Found>,
): Promise<number> {
  let auditId = continues;
  let changed = 0;
  const size = MOST_AT_ONCE[store.engine];
  for (let done = 0; ; await nextTurn()) {
    const batch = seqs.slice(done, done + size);
    done += batch.length;
    const isLast = done === seqs.length;
    const found = await patiently(() => find(batch), isHeldUp);
    const result = await patiently(
      () =>
        store.change(actor, async ({ db, queue, audit, auditMore }) => {
          const now = await change(queue, found);
          const sent = await named?.read(db, now);
          const entry = { ...after(changed + now.length), done: isLast };
          if (auditId !== undefined) await auditMore(auditId, entry);
          const id = auditId ?? (await audit(action, subject, null, entry));
          await noteChangedDeliveries(db, id, now);
          return { id, count: now.length, sent };
        }),
      isDeadlock,
    );
    auditId = result.id;
    changed += result.count;
    if (result.sent) named?.add(result.sent);
    if (isLast) return changed;
  }
}

/** By what its caller reads beside the change. What PostgreSQL gave up took half a minute, and would again. */
function isHeldUp(error: unknown): boolean {
  return error instanceof ReadTimedOut || error instanceof TooManyReads;
}

/** A change must not end halfway for something that passes. */
async function patiently<T>(
  step: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      if (!passes(error) || tries === TRIES) throw error;
      await sleep(TRIED_AGAIN_AFTER_MS);
    }
  }
}

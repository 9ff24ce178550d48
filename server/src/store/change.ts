import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { LanesNotice } from '../delivery/queue.ts';
import { boundedEntry } from './audit-size.ts';
import { type KeptChange, Recording } from './kept-change.ts';
import { queueVerbs } from './queue/verbs.ts';
import type { AuditRow, Schema } from './schema.ts';
import type { Change, Store } from './store.ts';

/** PostgreSQL takes at most 65,535 parameters in a statement; a row here has two. */
const IDS_PER_STATEMENT = 10_000;

/**
 * `Store.change` for either engine. `announce` is called with the ids of changed keys and midoffices after the
 * commit; `recordIds` also stores them in a table for the other nodes that share the database.
 */
export function changeOn(
  db: Kysely<Schema>,
  clock: Clock,
  invalidations: { announce(ids: readonly string[]): Promise<void>; recordIds: boolean },
  tellLanes: (notice: LanesNotice, transaction: Kysely<Schema>) => Promise<void>,
  keep?: (change: KeptChange) => void,
): Store['change'] {
  return async (actor, work) => {
    const changed: string[] = [];
    const inTransaction = ({ db: transaction, ...audited }: Audited<Schema>) => {
      const change: Change = {
        db: transaction,
        ...audited,
        async invalidate(ids) {
          for (let i = 0; invalidations.recordIds && i < ids.length; i += IDS_PER_STATEMENT) {
            const some = ids.slice(i, i + IDS_PER_STATEMENT);
            await transaction
              .insertInto('key_change')
              .values(some.map((id) => ({ key_id: id, at: audited.now })))
              .execute();
          }
          for (const id of ids) changed.push(id);
        },
        queue: queueVerbs(transaction, audited.now, (notice) => tellLanes(notice, transaction)),
        lanesChanged: (midofficeIds) => tellLanes({ kind: 'changed', midofficeIds }, transaction),
      };
      return work(change);
    };
    const result = await auditedChange(db, clock, actor, inTransaction, keep);
    if (changed.length > 0) await invalidations.announce(changed);
    return result;
  };
}

interface Audited<Tables> {
  db: Transaction<Tables>;
  now: number;
  audit: Change['audit'];
  auditMore: Change['auditMore'];
  unchanged: Change['unchanged'];
}

/** Rolls back. */
class Unchanged {
  readonly result: unknown;

  constructor(result: unknown) {
    this.result = result;
  }
}

/**
 * Runs `work` in a transaction that is not committed without an audit row. After the commit, `keep` gets what it
 * wrote: a failover may lose it.
 */
export async function auditedChange<Tables extends { audit: AuditRow }, T>(
  db: Kysely<Tables>,
  clock: Clock,
  actor: string,
  work: (change: Audited<Tables>) => Promise<T>,
  keep?: (change: KeptChange) => void,
): Promise<T> {
  try {
    if (!keep) return await audited(db, clock, actor, work);
    const recording = new Recording();
    const audits: KeptChange['audits'] = [];
    const at = clock.now();
    const result = await audited(db.withPlugin(recording), clock, actor, work, audits);
    const statements = recording.statements(db.getExecutor());
    // Kysely takes no database for one with fewer tables.
    keep({ db: db as unknown as KeptChange['db'], at, audits, statements });
    return result;
  } catch (error) {
    if (error instanceof Unchanged) return error.result as T;
    throw error;
  }
}

function audited<Tables extends { audit: AuditRow }, T>(
  db: Kysely<Tables>,
  clock: Clock,
  actor: string,
  work: (change: Audited<Tables>) => Promise<T>,
  written: KeptChange['audits'] = [],
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    const now = clock.now();
    // Nor a generic one for one with this table.
    const audits = transaction as unknown as Kysely<{ audit: AuditRow }>;
    let isAudited = false;
    const outcome = await work({
      db: transaction,
      now,
      async audit(action, subject, before, after) {
        isAudited = true;
        const id = newId('aud', now);
        const bounded = boundedEntry({ before, after });
        const row: AuditRow = {
          id,
          at: now,
          actor,
          action,
          subject,
          before: bounded.before && JSON.stringify(bounded.before),
          after: bounded.after && JSON.stringify(bounded.after),
        };
        await audits.insertInto('audit').values(row).execute();
        written.push(row);
        return id;
      },
      async auditMore(id, after) {
        const [row] = await audits
          .updateTable('audit')
          .set({ after: JSON.stringify(boundedEntry({ before: null, after }).after) })
          .where('id', '=', id)
          .returningAll()
          .execute();
        if (!row) return;
        isAudited = true;
        written.push(row);
      },
      unchanged(result) {
        throw new Unchanged(result);
      },
    });
    if (!isAudited) throw new Error('a change without an audit row');
    return outcome;
  });
}

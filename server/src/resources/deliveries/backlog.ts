/** What is pending, what is in flight, and how the last attempt ended. */
import { deliveryId } from '../../orders/order-event.ts';
import { readBacklog } from '../../store/queue/backlog.ts';
import { countInFlight as countOnAllNodes } from '../../store/queue/owners.ts';
import type { AttemptRow, Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { showAttempt } from './attempts.ts';

export interface Backlog {
  pending: number;
  oldest_pending_at: string | null;
}

/** For the whole environment, or for one midoffice. */
export async function showBacklog(db: Database, midofficeId?: string): Promise<Backlog> {
  const { pending, oldestAtMs } = await readBacklog(db, midofficeId);
  return { pending, oldest_pending_at: isoOrNull(oldestAtMs) };
}

/** An embedded database belongs to this process alone, so the process's own count is complete. */
export async function countInFlight({
  store,
  webhooks,
  clock,
}: SupportEnvironment): Promise<number> {
  if (store.engine === 'sqlite') return webhooks.attemptsInFlight();
  return countOnAllNodes(store.db, clock.now());
}

export function showLastAttempt(row: AttemptRow) {
  return { delivery_id: deliveryId(row.delivery_seq), ...showAttempt(row) };
}

export type ShownLastAttempt = ReturnType<typeof showLastAttempt>;

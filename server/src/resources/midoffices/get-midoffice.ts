import { ownerOf } from '../../store/queue/owners.ts';
import { countWaiting } from '../../store/queue/waiting.ts';
import { readLastAttempts } from '../deliveries/attempt-queries.ts';
import {
  type Backlog,
  type ShownLastAttempt,
  showBacklog,
  showLastAttempt,
} from '../deliveries/backlog.ts';
import type { SupportEnvironment } from '../environment.ts';
import { type MidofficeHealth, oneWithHealth } from './health.ts';
import { findMidoffice, type ShownMidoffice, showMidoffice } from './midoffices.ts';
import { lastTest, type ShownTest } from './test-event.ts';

export async function getMidoffice(
  { store: { db }, clock }: SupportEnvironment,
  id: string,
): Promise<
  ShownMidoffice &
    Backlog & {
      health: MidofficeHealth;
      waiting: number;
      delivery_node: string | null;
      last_attempt: ShownLastAttempt | null;
      last_test: ShownTest | null;
    }
> {
  const row = await findMidoffice(db, id);
  const lastAttempt = (await readLastAttempts(db, [id])).get(id);
  return {
    ...(await oneWithHealth(db, showMidoffice(row))),
    ...(await showBacklog(db, id)),
    waiting: await countWaiting(db, id, clock.now()),
    delivery_node: await ownerOf(db, id, clock.now()),
    last_attempt: lastAttempt ? showLastAttempt(lastAttempt) : null,
    last_test: await lastTest(db, id),
  };
}

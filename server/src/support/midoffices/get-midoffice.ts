import { ownerOf } from '../../store/queue/owners.ts';
import {
  type Backlog,
  lastAttemptsOf,
  type ShownLastAttempt,
  showBacklog,
} from '../deliveries/backlog.ts';
import type { Desk } from '../environment.ts';
import { findMidoffice, type ShownMidoffice, showMidoffice } from './midoffices.ts';

export async function getMidoffice(
  desk: Desk,
  id: string,
): Promise<
  ShownMidoffice & Backlog & { delivery_node: string | null; last_attempt: ShownLastAttempt | null }
> {
  const { db } = desk.store;
  const row = await findMidoffice(db, id);
  const lastAttempts = await lastAttemptsOf(db, [id]);
  return {
    ...showMidoffice(row),
    ...(await showBacklog(db, id)),
    delivery_node: await ownerOf(db, id, desk.clock.now()),
    last_attempt: lastAttempts.get(id) ?? null,
  };
}

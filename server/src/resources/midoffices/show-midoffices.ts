import type { Static } from 'typebox';
import { ownerOf } from '../../store/queue/owners.ts';
import { countWaiting } from '../../store/queue/waiting.ts';
import type { ShownCount } from '../count-queries.ts';
import { Attempt } from '../deliveries/attempts.ts';
import { showBacklog, showExhausted, showLastAttempt } from '../deliveries/backlog.ts';
import { readLastAttempts } from '../deliveries/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { filter, orNull, reply, time } from '../forms.ts';
import type { Page } from '../page.ts';
import type { ListRequest } from '../record-list.ts';
import { Type } from '../type.ts';
import { oneWithHealth, withHealth } from './health.ts';
import { findMidoffice, Midoffice, midofficeList, showMidoffice } from './midoffice.ts';
import { LastTest, lastTest } from './test-event.ts';

export const MidofficeWithState = reply('MidofficeWithState', {
  ...Midoffice.properties,
  pending: Type.Integer(),
  waiting: Type.Integer({
    description:
      'How many of them wait for the time of their next attempt: neither due, nor in flight, nor behind an earlier event of their order.',
  }),
  oldest_pending_at: orNull(time),
  oldest_exhausted_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When the oldest of the exhausted ones was accepted.',
    }),
  ),
  delivery_node: orNull(
    like(story.node, 'The node that delivers to it; null while there is none.'),
  ),
  last_attempt: orNull(
    reply('LastAttempt', { delivery_id: like(story.deliveryId), ...Attempt.properties }),
  ),
  last_test: orNull(LastTest),
});

export const midofficeFilter = { name: filter('Part of the name.') };

interface MidofficeSearch {
  name?: string | undefined;
}

export async function getMidoffice(
  environment: SupportEnvironment,
  id: string,
): Promise<Static<typeof MidofficeWithState>> {
  const { clock } = environment;
  const { db } = environment.store;
  const row = await findMidoffice(db, id);
  const lastAttempt = (await readLastAttempts(db, [id])).get(id);
  return {
    ...(await oneWithHealth(db, showMidoffice(row))),
    ...(await showQueue(environment, id)),
    ...(await showExhausted(db, id)),
    delivery_node: await ownerOf(db, id, clock.now()),
    last_attempt: lastAttempt ? showLastAttempt(lastAttempt) : null,
    last_test: await lastTest(db, id),
  };
}

/** What is under way to a midoffice. */
export async function showQueue(
  { store: { db }, clock }: SupportEnvironment,
  id: string,
): Promise<Pick<Static<typeof MidofficeWithState>, 'pending' | 'waiting' | 'oldest_pending_at'>> {
  return { ...(await showBacklog(db, id)), waiting: await countWaiting(db, id, clock.now()) };
}

export async function listMidoffices(
  environment: SupportEnvironment,
  request: ListRequest<'midoffices'> & MidofficeSearch,
): Promise<Page<Midoffice>> {
  const { name } = request;
  const page = await midofficeList.page(environment, request, { name }, showMidoffice);
  return { ...page, items: await withHealth(environment.store.db, page.items) };
}

export async function countListedMidoffices(
  environment: SupportEnvironment,
  { name, only }: MidofficeSearch & Pick<ListRequest<'midoffices'>, 'only'>,
): Promise<ShownCount> {
  return midofficeList.count(environment, { name }, only);
}

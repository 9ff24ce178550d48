/**
 * Everything that happened to a partner, in one list: changes of the partner, its keys and its midoffice, the notes
 * on them, and webhooks that did not arrive.
 */

import type { Static } from 'typebox';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { givenUpStates } from '../../delivery/states.ts';
import type { Slice } from '../../store/slice.ts';
import { type AuditEntry, showEntries } from '../audit/audit.ts';
import { inOrderOf } from '../audit/queries.ts';
import { ORDERS_NAMED } from '../deliveries/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { Type } from '../type.ts';
import { findPartner } from './partner.ts';
import { changesOf, subjectsOf, type TroubledDelivery, troubledDeliveries } from './queries.ts';

const activityKinds = ['change', 'note', 'webhooks'] as const;
const troubledStates = [...givenUpStates, 'unrouted'] as const;

export const Activity = reply('Activity', {
  id: like(story.auditId),
  at: time,
  kind: words(activityKinds, {
    title: 'ActivityKind',
    description:
      '`change`: an entry of the audit. `note`: a note. `webhooks`: webhooks of one hour that did not arrive.',
  }),
  subject: like(story.keyId, 'The id of what it is about.'),
  actor: orNull(like(story.actor)),
  action: orNull(like(story.action)),
  before: like(story.before, Type.Unknown()),
  after: like(story.after, Type.Unknown()),
  sentence: orNull(
    like(story.sentence, 'Of a change: what was done, as it goes on after the actor.'),
  ),
  subject_name: orNull(like(story.subject, 'As the sentence names the subject.')),
  can_revert: Type.Boolean({ description: 'See `AuditEntry`.' }),
  text: like(null, orNull(Type.String({ description: 'Of a note.' }))),
  state: orNull(words(troubledStates, { title: 'TroubledState' })),
  count: orNull(
    Type.Integer({ description: 'How many webhooks, among the newest 1,000 of the partner.' }),
  ),
  orders: Type.Array(Type.String(), {
    description: `The orders of the newest of these webhooks, at most ${ORDERS_NAMED}.`,
  }),
});

/** Most deliveries arrive, so the others are looked for among the newest only. */
const NEWEST_DELIVERIES = 1_000;
const HOUR_MS = 3_600_000;

/** An activity, with its time as it is stored. */
type Happening = Omit<Static<typeof Activity>, 'at'> & { at: number };

export async function listActivity(
  { store: { db } }: SupportEnvironment,
  id: string,
  request: PageRequest,
): Promise<Page<Static<typeof Activity>>> {
  const partner = await findPartner(db, id);
  const subjects = await subjectsOf(db, partner);
  return pageOf(request, {
    async read(slice) {
      const [changes, troubled] = await Promise.all([
        changesOf(db, slice, subjects),
        troubledDeliveries(db, id, NEWEST_DELIVERIES),
      ]);
      const all = [
        ...(await showEntries(db, changes)).map(ofChange),
        ...byHour(troubled).filter((one) => isAfter(one, slice)),
      ];
      return all.sort(inOrderOf(slice)).slice(0, slice.limit);
    },
    positionOf: (row) => [row.at, row.id],
    show: (row) => ({ ...row, at: new Date(row.at).toISOString() }),
  });
}

const NOTHING = {
  actor: null,
  action: null,
  before: null,
  after: null,
  sentence: null,
  subject_name: null,
  can_revert: false,
  text: null,
  state: null,
  count: null,
  orders: [],
};

function ofChange(shown: AuditEntry): Happening {
  const entry = { ...NOTHING, ...shown, at: Date.parse(shown.at) };
  if (shown.action !== 'note.create') return { ...entry, kind: 'change' };
  const { text } = entry.after as { text: string };
  return { ...entry, kind: 'note', action: null, after: null, sentence: null, text };
}

/** While a receiver is down, hundreds of deliveries have the same fate: one entry for all of an hour. */
function byHour(troubled: readonly TroubledDelivery[]): Happening[] {
  const groups = Map.groupBy(troubled, ({ state, at }) => `${state}-${Math.floor(at / HOUR_MS)}`);
  return [...groups].map(([id, group]) => {
    const newest = group.toSorted((a, b) => b.at - a.at || b.seq - a.seq);
    const last = newest[0] as TroubledDelivery;
    return {
      ...NOTHING,
      id,
      at: last.at,
      kind: 'webhooks',
      subject: deliveryId(last.seq),
      state: last.state,
      count: group.length,
      orders: newest.slice(0, ORDERS_NAMED).map((one) => one.partner_order_id),
    };
  });
}

function isAfter(one: Happening, { after }: Slice): boolean {
  if (!after) return true;
  const [at, id] = after;
  return one.at < Number(at) || (one.at === Number(at) && one.id < id);
}

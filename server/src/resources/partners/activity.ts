/**
 * Everything that happened to a partner, in one list: changes of the partner, its keys and its midoffice, the notes
 * on them, and webhooks that did not arrive.
 */
import { deliveryId } from '../../orders/order-event.ts';
import type { AuditRow, Database, PartnerRow } from '../../store/schema.ts';
import type { Slice } from '../../store/slice.ts';
import { showEntry } from '../audit/audit.ts';
import { inOrderOf } from '../audit/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { newestKeys } from '../keys/queries.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { changesOf, type TroubledDelivery, troubledDeliveries } from './activity-queries.ts';
import { findPartner } from './partners.ts';

export const activityKinds = ['change', 'note', 'webhooks'] as const;
export const troubledStates = ['exhausted', 'cancelled', 'unrouted'] as const;

/** Each of them is a look at an index. */
const MOST_KEYS = 20;
/** Most deliveries arrive, so the others are looked for among the newest only. */
const NEWEST_DELIVERIES = 1_000;
const HOUR_MS = 3_600_000;

interface Happening {
  id: string;
  at: number;
  kind: (typeof activityKinds)[number];
  subject: string;
  actor: string | null;
  action: string | null;
  before: unknown;
  after: unknown;
  text: string | null;
  state: (typeof troubledStates)[number] | null;
  count: number | null;
}

export async function listActivity(
  { store: { db } }: SupportEnvironment,
  id: string,
  request: PageRequest,
): Promise<Page<Omit<Happening, 'at'> & { at: string }>> {
  const partner = await findPartner(db, id);
  const subjects = await subjectsOf(db, partner);
  return pageOf(request, {
    async read(slice) {
      const [changes, troubled] = await Promise.all([
        changesOf(db, slice, subjects),
        troubledDeliveries(db, id, NEWEST_DELIVERIES),
      ]);
      const all = [
        ...changes.map(ofChange),
        ...byHour(troubled).filter((one) => isAfter(one, slice)),
      ];
      return all.sort(inOrderOf(slice)).slice(0, slice.limit);
    },
    positionOf: (row) => [row.at, row.id],
    show: (row) => ({ ...row, at: new Date(row.at).toISOString() }),
  });
}

async function subjectsOf(db: Database, { id, midoffice_id }: PartnerRow): Promise<string[]> {
  const keys = await newestKeys(db, { limit: MOST_KEYS }, { partnerId: id });
  return [id, ...(midoffice_id === null ? [] : [midoffice_id]), ...keys.map((key) => key.key_id)];
}

const NOTHING = {
  actor: null,
  action: null,
  before: null,
  after: null,
  text: null,
  state: null,
  count: null,
};

function ofChange(row: AuditRow): Happening {
  const entry = { ...NOTHING, ...showEntry(row), at: row.at };
  if (row.action !== 'note.create') return { ...entry, kind: 'change' };
  const { text } = entry.after as { text: string };
  return { ...entry, kind: 'note', action: null, after: null, text };
}

/** While a receiver is down, hundreds of deliveries have the same fate: one entry for all of an hour. */
function byHour(troubled: readonly TroubledDelivery[]): Happening[] {
  const groups = Map.groupBy(troubled, ({ state, at }) => `${state}-${Math.floor(at / HOUR_MS)}`);
  return [...groups].map(([id, group]) => {
    const last = group.reduce((latest, one) => (one.at >= latest.at ? one : latest));
    return {
      ...NOTHING,
      id,
      at: last.at,
      kind: 'webhooks',
      subject: deliveryId(last.seq),
      state: last.state,
      count: group.length,
    };
  });
}

function isAfter(one: Happening, { after }: Slice): boolean {
  if (!after) return true;
  const [at, id] = after;
  return one.at < Number(at) || (one.at === Number(at) && one.id < id);
}

/**
 * What people did, from the audit: to the deliveries of an order, and to the partner, its keys and its midoffice while
 * the case went on. Support reads names and notes; a partner reads whether it was API support.
 */
import { actorName } from '@bellhop/rules/actor-name';
import { fieldsOf } from '@bellhop/rules/differences';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { entriesConcerning } from '../../store/audit-partners.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { AuditRow, Database, PartnerRow } from '../../store/schema.ts';
import type { Slice } from '../../store/slice.ts';
import { type AuditEntry, showEntries } from '../audit/audit.ts';
import { inOrderOf, newestAudit } from '../audit/queries.ts';
import { midoffices } from '../midoffices/queries.ts';
import { changesOf, subjectsOf } from '../partners/queries.ts';
import { doneTo, ownSubjects, showToPartner } from '../portal/activity.ts';
import type { Reader } from './find-case.ts';
import type { Item, Items, Span } from './item.ts';

/** The newest. */
const MOST_ENTRIES = 100;

interface Case {
  partner: PartnerRow;
  span: Span;
  /** Of an order; without them, the changes of a key are meant. */
  deliveries?: readonly FoundDelivery[];
  keyId?: string | null;
}

export async function whatWasDone(reader: Reader, about: Case): Promise<Items> {
  const { span, deliveries = [] } = about;
  const { db } = reader.environment.store;
  const own = new Set(deliveries.map(({ seq }) => deliveryId(seq)));
  // What was done to the deliveries themselves belongs to the case, however much later it was.
  const ofDeliveries = await read(reader, about, [...own], { limit: MOST_ENTRIES + 1 });
  const slice = { limit: MOST_ENTRIES + 1, after: [span.untilMs + 1, ''] as const };
  const subjects = await subjectsIn(db, reader, about);
  const ofOthers = await read(reader, about, subjects, slice);
  const inSpan = ofOthers.filter(({ at }) => at >= span.sinceMs);
  const rehearsals = own.size > 0 ? await rehearsalsOf(db, subjects, span) : [];
  const hasMore = rehearsals.some((of) => of.length > MOST_ENTRIES);
  const ofCase = [
    ...ofDeliveries.filter(({ subject }) => own.has(subject)),
    ...inSpan,
    ...rehearsals.flat().filter((row) => isRehearsed(row, own)),
  ];
  // A rehearsal in the span was found twice.
  const rows = new Map(ofCase.map((row) => [row.id, row]));
  const newest = [...rows.values()].filter((row) => isAbout(row, about, own)).sort(inOrderOf({}));
  return {
    items: await show(reader, about.partner, newest.slice(0, MOST_ENTRIES), own),
    isComplete: rows.size <= MOST_ENTRIES && !hasMore,
  };
}

const REHEARSAL = 'midoffice.rehearse';

/** Of each midoffice. A rehearsal may come long after the order. */
async function rehearsalsOf(
  db: Database,
  subjects: readonly string[],
  { sinceMs }: Span,
): Promise<AuditRow[][]> {
  const midofficeIds = subjects.filter((subject) => subject.startsWith('mid_'));
  const slice = { limit: MOST_ENTRIES + 1 };
  const found = midofficeIds.map((subject) =>
    newestAudit(db, slice, { subject, action: REHEARSAL, sinceMs }),
  );
  return Promise.all(found);
}

/** Of those that were rehearsed, such as "del_7 200 12ms". */
function webhooksIn({ after }: AuditRow, own: ReadonlySet<string>): string[][] {
  const { webhooks } = fieldsOf(after === null ? null : JSON.parse(after));
  const all = Array.isArray(webhooks) ? webhooks.map((one) => String(one).split(' ')) : [];
  return all.filter(([id = '']) => own.has(id));
}

const isRehearsed = (row: AuditRow, own: ReadonlySet<string>) => webhooksIn(row, own).length > 0;

async function subjectsIn(
  db: Database,
  { ownPartnerId }: Reader,
  { partner, deliveries, keyId }: Case,
): Promise<string[]> {
  if (!deliveries) return [partner.id, ...(keyId ? [keyId] : [])];
  if (ownPartnerId !== undefined) return ownSubjects(db, partner);
  const ids = new Set(deliveries.flatMap(({ midoffice_id }) => midoffice_id ?? []));
  const their = await midoffices.readAll(db, [...ids]);
  const signing = [...their.values()].map(({ signing_key_id }) => signing_key_id);
  return [...new Set([...(await subjectsOf(db, partner)), ...ids, ...signing])];
}

/** Changes of many deliveries name no single one, so they are found by their partner. */
async function read(
  { environment: { store }, ownPartnerId }: Reader,
  { partner, deliveries }: Case,
  subjects: readonly string[],
  slice: Slice,
): Promise<AuditRow[]> {
  if (subjects.length === 0) return [];
  if (ownPartnerId !== undefined) return doneTo(store.db, slice, ownPartnerId, subjects);
  const changes = await changesOf(store.db, slice, subjects);
  return deliveries
    ? [...changes, ...(await entriesConcerning(store.db, slice, partner.id))]
    : changes;
}

/** Not who signed in to the portal or gets mails. */
const ABOUT_ORDER =
  /^(key|midoffice|delivery|deliveries|note)\.|^partner\.(update|recover|send_pending)$/;
const ABOUT_CALL = /^(key|note)\.|^partner\.update$/;

/** Not what was done to other orders alone. */
function isAbout(row: AuditRow, { deliveries }: Case, own: ReadonlySet<string>): boolean {
  const { action, subject } = row;
  if (action === REHEARSAL) return isRehearsed(row, own);
  const isToOther = action.startsWith('delivery.') && !own.has(subject);
  return (deliveries ? ABOUT_ORDER : ABOUT_CALL).test(action) && !isToOther;
}

async function show(
  { environment, ownPartnerId }: Reader,
  { id }: PartnerRow,
  rows: readonly AuditRow[],
  own: ReadonlySet<string>,
): Promise<Item[]> {
  const told = (item: Item, at: number) => withRehearsal(item, rows[at], own);
  if (ownPartnerId === undefined) {
    const entries = await showEntries(environment.store.db, rows);
    return entries.map((entry) => itemOf(entry, actorName(entry.actor))).map(told);
  }
  const shown = await showToPartner(environment, id, rows);
  return shown
    .map((one) => itemOf(one, one.by === 'partner' ? 'your side' : 'API support'))
    .map(told);
}

/** Says what became of this order's webhooks in a rehearsal. */
function withRehearsal(item: Item, row: AuditRow | undefined, own: ReadonlySet<string>): Item {
  if (row?.action !== REHEARSAL) return item;
  const statuses = webhooksIn(row, own).map(([, status = '']) => status);
  const count = (wanted: (status: string) => boolean) => statuses.filter(wanted).length;
  const accepted = count((status) => /^2\d\d$/.test(status));
  const unsent = count((status) => status === 'skipped');
  const failed = statuses.length - accepted - unsent;
  const { url } = fieldsOf(JSON.parse(row.after ?? 'null'));
  const counts = [`${accepted} accepted`, `${failed} not accepted`, `${unsent} not sent`];
  return {
    ...item,
    sentence: `${item.sentence} Of this order, at ${url}: ${counts.filter((one) => !one.startsWith('0 ')).join(', ')}.`,
  };
}

function itemOf(
  entry: Pick<AuditEntry, 'at' | 'action' | 'subject' | 'sentence' | 'after'>,
  by: string,
): Item {
  const { at, action, subject, sentence, after } = entry;
  const { text } = fieldsOf(after);
  const said =
    action === 'note.create' && typeof text === 'string'
      ? `${sentence}: “${text}”`
      : `${sentence}.`;
  return {
    atMs: Date.parse(at),
    kind: kindOf(action),
    sentence: `${by.charAt(0).toUpperCase()}${by.slice(1)} ${said}`,
    subject,
    by,
  };
}

function kindOf(action: string): Item['kind'] {
  if (action === 'note.create') return 'note';
  const isToDeliveries = /^(delivery|deliveries)\.|\.(recover|send_pending|rehearse)$/.test(action);
  return isToDeliveries ? 'action' : 'change';
}

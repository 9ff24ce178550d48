/**
 * What was done to a partner, or by people of the partner in the portal. Support's names, notes and reasons stay with
 * support: an entry shows who only as "support" or "partner", and of what was changed only the fields that the partner
 * sees elsewhere in the portal.
 */
import { auditActionOf } from '@bellhop/rules/audit-actions';
import { describeChange, type Names } from '@bellhop/rules/describe-change';
import { differencesIn, fieldsOf } from '@bellhop/rules/differences';
import type { Static } from 'typebox';
import { type ConcerningEntry, entriesConcerning } from '../../store/audit-partners.ts';
import { byWhom } from '../../store/portal-actor.ts';
import type { AuditRow, Database, PartnerRow } from '../../store/schema.ts';
import type { Slice } from '../../store/slice.ts';
import { namesIn } from '../audit/name-queries.ts';
import { inOrderOf, newestAudit } from '../audit/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { reply, time, words } from '../forms.ts';
import { Grant } from '../grants/grant.ts';
import { Key } from '../keys/key.ts';
import { hasOtherPartners } from '../midoffices/queries.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { findPartner } from '../partners/partner.ts';
import { changesOf, subjectsOf } from '../partners/queries.ts';
import { Type } from '../type.ts';
import { toOwnId } from './delivery-ids.ts';
import { PortalLink } from './links.ts';
import { PortalSession } from './sessions.ts';

export const PartnerActivity = reply('PartnerActivity', {
  id: Type.String(),
  at: time,
  by: words(['partner', 'support'], {
    title: 'ActivityBy',
    description: 'People of the partner, in the portal; or API support.',
  }),
  action: like(story.action, 'Such as `key.rotate`.'),
  subject: like(story.keyId, 'The id of what it was done to.'),
  sentence: like(story.sentence, 'What was done, as a sentence that goes on after who did it.'),
  before: like(
    story.before,
    Type.Unknown({ description: 'The fields that were changed; null if it was created.' }),
  ),
  after: like(
    story.after,
    Type.Unknown({ description: 'The same afterwards; null if it was removed.' }),
  ),
});

/** Where an entry about deliveries of several partners counts them. */
const COUNTS = ['changed', 'requeued', 'sent'];

/** Everything else of an audit row is for support. */
const { created_by, ...ofLinks } = PortalLink.properties;
const { opened_by, ...ofSessions } = PortalSession.properties;
const SHOWN = new Set([
  ...Object.keys(Key.properties),
  ...Object.keys(Grant.properties),
  ...Object.keys(ofLinks),
  ...Object.keys(ofSessions),
  ...[
    'name',
    'suspended',
    'midoffice_id',
    'url',
    'body_form',
    'delivery_order',
    'paused',
    'failure',
  ],
  ...['contacts', 'email', 'mailed_to', 'granted'],
  ...['since', 'until', ...COUNTS, 'state', 'done'],
  ...['outcome', 'status_code', 'error', 'verdict', 'passed', 'warned', 'failed', 'skipped'],
]);

/** Written by support for support. */
const HIDDEN_ACTIONS = new Set(['note.create', 'partner.certify']);

export async function listPartnerActivity(
  environment: SupportEnvironment,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof PartnerActivity>>> {
  const { db } = environment.store;
  const subjects = await ownSubjects(db, await findPartner(db, partnerId));
  const page = await pageOf(request, {
    async read(slice) {
      const [byThem, toThem] = await Promise.all([
        newestAudit(db, slice, { byPartner: partnerId }),
        doneTo(db, slice, partnerId, subjects),
      ]);
      // What counts deliveries is in both, and the second has this partner's share.
      const all = new Map([...byThem, ...toThem].map((row) => [row.id, row]));
      return [...all.values()].sort(inOrderOf(slice)).slice(0, slice.limit);
    },
    positionOf: (row) => [row.at, row.id],
    show: (row) => row,
  });
  return { ...page, items: await showToPartner(environment, partnerId, page.items) };
}

/** The newest entries about these subjects, and about deliveries of the partner. One may be there twice. */
export async function doneTo(
  db: Database,
  slice: Slice,
  partnerId: string,
  subjects: readonly string[],
): Promise<AuditRow[]> {
  const [toThem, toDeliveries] = await Promise.all([
    changesOf(db, slice, subjects, [...HIDDEN_ACTIONS]),
    entriesConcerning(db, slice, partnerId),
  ]);
  return [...toThem, ...toDeliveries.map(ofOnePartner)];
}

export async function showToPartner(
  { store: { db }, vault }: SupportEnvironment,
  partnerId: string,
  rows: readonly AuditRow[],
): Promise<Static<typeof PartnerActivity>[]> {
  const names = await namesIn(db, rows);
  const toOwn = (id: string) => toOwnId(vault, id);
  const ownNames = new Map([...names].map(([id, name]) => [toOwn(id), name]));
  return rows.map((row) =>
    showActivity({ ...row, subject: toOwn(row.subject) }, partnerId, ownNames),
  );
}

/** Of a midoffice that others share, what was done to it may be theirs. */
export async function ownSubjects(
  db: Database,
  { id, midoffice_id }: PartnerRow,
): Promise<string[]> {
  const isShared = midoffice_id !== null && (await hasOtherPartners(db, id, midoffice_id));
  return subjectsOf(db, { id, midoffice_id: isShared ? null : midoffice_id });
}

/** The entry, with the partner's share of what it counts: the rest is of others. */
function ofOnePartner({ deliveries, ...row }: ConcerningEntry): AuditRow {
  const after = Object.entries(readStored(row.after));
  const share = after.map(([name, value]) => [name, COUNTS.includes(name) ? deliveries : value]);
  return { ...row, after: JSON.stringify(Object.fromEntries(share)) };
}

function showActivity(
  row: AuditRow,
  partnerId: string,
  names: Names,
): Static<typeof PartnerActivity> {
  const { id, action, subject } = row;
  const before = shownFields(row.before);
  const after = shownFields(row.after);
  const isChanged = (name: string) =>
    JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]);
  return {
    id,
    at: new Date(row.at).toISOString(),
    by: byWhom(row.actor, partnerId),
    action,
    subject,
    sentence: sentenceOf({ action, subject, before, after }, row, names),
    before: before && after ? only(before, isChanged) : before,
    after: before && after ? only(after, isChanged) : after,
  };
}

/** As support reads it, of the fields that partners see. Of the others, it says only that something was changed. */
function sentenceOf(
  entry: Parameters<typeof describeChange>[0],
  stored: Pick<AuditRow, 'before' | 'after'>,
  names: Names,
): string {
  const { sentence, subject_name } = describeChange(entry, names);
  const { action, before, after } = entry;
  const isHidden = before && after && differencesIn(before, after).length === 0 && isChange(stored);
  return isHidden ? auditActionOf(action).did.replace('{}', () => subject_name) : sentence;
}

/** Whether anything was changed, also what only support sees. Values of headers are in no field. */
function isChange(stored: Pick<AuditRow, 'before' | 'after'>): boolean {
  const before = readStored(stored.before);
  const after = readStored(stored.after);
  return differencesIn(before, after).length > 0 || 'changed_headers' in after;
}

function shownFields(stored: string | null): Record<string, unknown> | null {
  const record = readStored(stored);
  const shown = only(record, (name) => SHOWN.has(name));
  // What was withdrawn has nothing but a remark once it is undone.
  const isNothing = Object.keys(shown).length === 0 && differencesIn(null, record).length === 0;
  return isNothing ? null : shown;
}

function readStored(stored: string | null): Record<string, unknown> {
  return fieldsOf(stored === null ? null : JSON.parse(stored));
}

function only(record: Record<string, unknown>, isWanted: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isWanted(name)));
}

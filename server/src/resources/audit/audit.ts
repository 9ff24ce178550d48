import { describeChange } from '@bellhop/rules/describe-change';
import { fieldsOf } from '@bellhop/rules/differences';
import type { Static } from 'typebox';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import type { AuditRow, Database } from '../../store/schema.ts';
import { type ShownCount, showCount } from '../count-queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { filter, givenTime, pageQuery, query, reply, sortBy, time } from '../forms.ts';
import { type Page, pageOf } from '../page.ts';
import { readTime } from '../problem.ts';
import { Type } from '../type.ts';
import { namesIn } from './name-queries.ts';
import { type AuditSearch, countAudit, inOrderOf, newestAudit, partnersCalled } from './queries.ts';
import { isRevertible } from './revertible.ts';

const auditSorts = ['-at', 'at'] as const;

export const AuditEntry = reply('AuditEntry', {
  id: like(story.auditId),
  at: time,
  actor: like(story.actor),
  action: like(story.action),
  subject: like(story.keyId),
  before: like(story.before, Type.Unknown()),
  after: Type.Unknown({
    description:
      'Before and after have at most 4 KiB together. `left_out` then says how many bytes of each field are missing: of what is the same on both sides, and of what is too long.',
    examples: [story.after],
  }),
  sentence: like(story.sentence, 'What was done, as a sentence that goes on after the actor.'),
  subject_name: like(story.subject, 'What was changed, as the sentence names it.'),
  can_revert: Type.Boolean({
    description:
      'Whether it is a change that can be undone, unless the record has changed since. See `revertChange`.',
  }),
});

export type AuditEntry = Static<typeof AuditEntry>;

const auditFilter = {
  subject: filter('Id of what was changed.'),
  actor: filter(
    'The name of a token or a person, the email of a person, or the whole actor as entries show it. The name or the id of a partner finds what its people did in the portal, also under an earlier name of the partner.',
  ),
  action: filter('Such as `key.rotate`.'),
  since: Type.Optional(givenTime()),
  until: Type.Optional(givenTime()),
};

export const auditQuery = query({ ...pageQuery, ...auditFilter, ...sortBy(auditSorts) });
export const auditCountQuery = query(auditFilter);
type AuditFilter = Static<typeof auditCountQuery>;

/** The changes in an environment. Those to tokens belong to no environment, so every audit shows them. */
export async function listAudit(
  { store }: Pick<SupportEnvironment, 'store'>,
  backOfficeStore: BackOfficeStore,
  request: Static<typeof auditQuery>,
): Promise<Page<AuditEntry>> {
  const search = searchFor(request);
  const orByPartners = await partnersIn(store.db, search);
  const page = await pageOf(request, {
    async read(slice) {
      const slices = await Promise.all([
        newestAudit(store.db, slice, { ...search, orByPartners }),
        newestAudit(backOfficeStore.db, slice, search),
      ]);
      return slices.flat().sort(inOrderOf(slice));
    },
    positionOf: ({ at, id }) => [at, id],
    show: (row) => row,
    ascending: request.sort === 'at',
  });
  return { ...page, items: await showEntries(store.db, page.items) };
}

export async function countListedAudit(
  { store }: Pick<SupportEnvironment, 'store'>,
  backOfficeStore: BackOfficeStore,
  filter: AuditFilter,
): Promise<ShownCount> {
  const search = searchFor(filter);
  const orByPartners = await partnersIn(store.db, search);
  const counts = await Promise.all([
    countAudit(store.db, { ...search, orByPartners }),
    countAudit(backOfficeStore.db, search),
  ]);
  return showCount(counts[0] + counts[1]);
}

/** Their people act in an environment alone. No token or person is called like the id of a partner. */
async function partnersIn(db: Database, { actor }: AuditSearch): Promise<string[]> {
  if (actor === undefined) return [];
  return actor.startsWith('par_') ? [actor] : partnersCalled(db, actor);
}

function searchFor({ subject, actor, action, since, until }: AuditFilter): AuditSearch {
  return {
    subject,
    actor,
    action,
    sinceMs: since === undefined ? undefined : readTime(since, 'since'),
    untilMs: until === undefined ? undefined : readTime(until, 'until'),
  };
}

export async function showEntries(db: Database, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const names = await namesIn(db, rows);
  return rows.map((row) => {
    const recorded = readEntry(row);
    // What was undone already is refused as changed since, so it is not offered.
    const isUndone = 'reverted_by' in fieldsOf(recorded.after);
    const can_revert = !isUndone && isRevertible(recorded);
    return { ...recorded, ...describeChange(recorded, names), can_revert };
  });
}

export type AuditEntryAsRecorded = ReturnType<typeof readEntry>;

/** As it was recorded. */
export function readEntry(row: AuditRow) {
  return {
    ...row,
    at: new Date(row.at).toISOString(),
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
  };
}

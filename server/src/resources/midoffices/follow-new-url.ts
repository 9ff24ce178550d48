/**
 * Tells partners that their webhooks go to another URL: because their midoffice has another one, or because they have
 * another midoffice. Part of every such change, in its transaction.
 */
import { newNotice } from '../../notices/kinds.ts';
import { hostOf, insertNotices } from '../../store/notices.ts';
import { byWhom } from '../../store/portal-actor.ts';
import type { Database } from '../../store/schema.ts';
import { deletePendingUrls, midoffices, readPartnersOf } from './queries.ts';

/** Notices of one statement. */
const AT_ONCE = 500;

/** A midoffice that was changed, with its URL before and after. */
export interface ChangedUrl {
  id: string;
  before: string;
  after: string;
}

/** Also drops a partner's pending change, which was to another URL than this one. */
export async function followNewUrls(
  db: Database,
  actor: string,
  changed: readonly ChangedUrl[],
  nowMs: number,
): Promise<void> {
  const byId = new Map(
    changed.filter(({ before, after }) => after !== before).map((one) => [one.id, one]),
  );
  if (byId.size === 0) return;
  const ids = [...byId.keys()];
  await deletePendingUrls(db, ids);
  const affected = (await readPartnersOf(db, ids)).map(({ id, midoffice_id }) => ({
    ...(byId.get(midoffice_id) as ChangedUrl),
    partnerId: id,
    midofficeId: midoffice_id,
  }));
  await notify(db, actor, affected, nowMs);
}

/** A partner whose midoffice was replaced. */
export interface MovedPartner {
  id: string;
  from: string | null;
  to: string | null;
}

/**
 * A partner's first midoffice is no news: it had no URL before. `urlsBefore` has those of midoffices that were changed at the
 * same time.
 */
export async function followMoves(
  db: Database,
  actor: string,
  moved: readonly MovedPartner[],
  nowMs: number,
  urlsBefore: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  const others = moved.filter(({ from, to }) => from !== null && from !== to);
  const ids = [...new Set(others.flatMap(({ from, to }) => [from ?? [], to ?? []].flat()))];
  const rows = await midoffices.readAll(db, ids);
  const affected = others.map(({ id, from, to }) => ({
    partnerId: id,
    midofficeId: to ?? from ?? '',
    before: urlsBefore.get(from ?? '') ?? rows.get(from ?? '')?.url,
    after: to === null ? null : rows.get(to)?.url,
  }));
  await notify(db, actor, affected, nowMs);
}

interface AffectedPartner {
  partnerId: string;
  midofficeId: string;
  before: string | undefined;
  /** Null if there is none any more. */
  after: string | null | undefined;
}

async function notify(
  db: Database,
  actor: string,
  affected: readonly AffectedPartner[],
  nowMs: number,
): Promise<void> {
  const news = affected.filter(({ before, after }) => after !== undefined && after !== before);
  const notices = news.map(({ partnerId, midofficeId, after }) => {
    const host = after ? hostOf(after) : null;
    const facts = { midoffice_id: midofficeId, host, by: byWhom(actor, partnerId) };
    return newNotice(partnerId, 'url_changed', facts, nowMs);
  });
  for (let i = 0; i < notices.length; i += AT_ONCE) {
    await insertNotices(db, notices.slice(i, i + AT_ONCE));
  }
}

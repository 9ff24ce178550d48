import { newNotice } from '../../notices/kinds.ts';
import { hostOf, noticePartnersOf } from '../../store/notices.ts';
import { byWhom } from '../../store/portal-actor.ts';
import type { Database, MidofficeRow } from '../../store/schema.ts';
import { deleteWish } from './queries.ts';

/**
 * Part of every change of a midoffice, in the same transaction. If its webhooks go to another URL, its partners are told,
 * and a partner's wish is over, because it was about another URL than this one.
 */
export async function followNewUrl(
  db: Database,
  actor: string,
  before: Pick<MidofficeRow, 'id' | 'url'>,
  after: Pick<MidofficeRow, 'url'>,
  nowMs: number,
): Promise<void> {
  if (after.url === before.url) return;
  await deleteWish(db, before.id);
  const url = { midoffice_id: before.id, host: hostOf(after.url) };
  await noticePartnersOf(db, before.id, (partnerId) =>
    newNotice(partnerId, 'url_changed', { ...url, by: byWhom(actor, partnerId) }, nowMs),
  );
}

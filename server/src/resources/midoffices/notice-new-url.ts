import { newNotice } from '../../notices/kinds.ts';
import { hostOf, noticePartnersOf } from '../../store/notices.ts';
import { byWhom } from '../../store/portal-actor.ts';
import type { Database, MidofficeRow } from '../../store/schema.ts';

/** Tells the partners of a midoffice, in the same transaction, if their webhooks go to another URL. */
export async function noticeNewUrl(
  db: Database,
  actor: string,
  before: Pick<MidofficeRow, 'id' | 'url'>,
  after: Pick<MidofficeRow, 'url'>,
  nowMs: number,
): Promise<void> {
  if (after.url === before.url) return;
  const url = { midoffice_id: before.id, host: hostOf(after.url) };
  await noticePartnersOf(db, before.id, (partnerId) =>
    newNotice(partnerId, 'url_changed', { ...url, by: byWhom(actor, partnerId) }, nowMs),
  );
}

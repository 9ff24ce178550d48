/** Notices that are stored together with an exhausted delivery or with usage, in the transaction of either. */

import { deliveryId } from '../../delivery/orders/order-event.ts';
import type { Settlement } from '../../delivery/stages.ts';
import type { UsageRecord } from '../../gateway/usage-history/counts.ts';
import {
  EXHAUSTED_EVERY_MS,
  newNotice,
  percentsReached,
  type StoredNotice,
} from '../../notices/kinds.ts';
import type { Writer } from './writing.ts';

export interface SqliteNotices {
  exhausted(settlement: Settlement, nowMs: number): void;
  used(records: readonly UsageRecord[], nowMs: number): void;
}

export function sqliteNotices({ connection }: Writer): SqliteNotices {
  const partnerOfDelivery = connection.prepare('select partner_id from delivery where seq = ?');
  const partnerOfKey = connection.prepare('select partner_id from api_key where key_id = ?');
  const lastTold = connection.prepare(`
    select 1 from notice
     where partner_id = ? and kind = 'deliveries_exhausted' and at > ? limit 1`);
  const insert = connection.prepare(`
    insert into notice (id, partner_id, kind, cause, at, facts) values (?, ?, ?, ?, ?, ?)
    on conflict (partner_id, kind, cause) do nothing`);
  const store = ({ id, partner_id, kind, cause, at, facts }: StoredNotice) =>
    insert.run(id, partner_id, kind, cause, at, facts);
  return {
    exhausted({ due: { seq, partner_order_id } }, nowMs) {
      const found = partnerOfDelivery.get(seq) as { partner_id: string } | undefined;
      if (!found || lastTold.get(found.partner_id, nowMs - EXHAUSTED_EVERY_MS)) return;
      const facts = { delivery_id: deliveryId(seq), partner_order_id };
      store(newNotice(found.partner_id, 'deliveries_exhausted', facts, nowMs));
    },
    used(records, nowMs) {
      for (const { keyId: key_id, endpoint, peakShare, refused } of records) {
        const percents = percentsReached(peakShare, refused);
        if (percents.length === 0) continue;
        const found = partnerOfKey.get(key_id) as { partner_id: string } | undefined;
        if (!found) continue;
        for (const percent of percents) {
          const facts = { key_id, endpoint, percent };
          store(newNotice(found.partner_id, 'limit_reached', facts, nowMs));
        }
      }
    },
  };
}

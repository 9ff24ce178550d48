import type { DeliveryQueue } from '../../delivery/queue.ts';
import {
  AT_ONCE,
  FIRST,
  latestTimes,
  type Page,
  type Place,
  pullForward,
  type Row,
} from '../queue/pull-forward.ts';
import type { Writer } from './writing.ts';

/** Midoffices in one page, although they may have no rows to look at. */
const MIDOFFICES_AT_ONCE = 100;

export function sqlitePullForward(writer: Writer): DeliveryQueue['pullForward'] {
  const { connection } = writer;
  const nextMidoffice = connection.prepare(`
    select midoffice_id from pending where shard = ?1 and midoffice_id > ?2
     order by midoffice_id limit 1`);

  return (shard, schedule, nowMs) => {
    const { dueAt, scheduledAt } = latestTimes(schedule, 'cast(?1 as integer)');
    const waiting = connection.prepare(`
      select seq, midoffice_id, due_at, due_at > ${dueAt} as is_late from pending
       where shard = ?2 and midoffice_id = ?3 and (due_at, seq) > (?4, ?5)
       order by due_at, seq limit ${AT_ONCE}`);
    const pull = connection.prepare(`
      update pending set due_at = ${dueAt}, scheduled_at = ${scheduledAt}
       where seq in (select value from json_each(?2)) and due_at > ${dueAt}`);

    /** Midoffice by midoffice, so that it passes what is due already, however much that is. */
    function pageAfter(place: Place): Page {
      const rows: Row[] = [];
      let next: Place | undefined = place;
      for (let n = 0; next && n < MIDOFFICES_AT_ONCE && rows.length < AT_ONCE; n++) {
        const { midoffice_id, due_at, seq }: Place = next;
        const some = waiting.all(nowMs, shard, midoffice_id, Math.max(due_at, nowMs), seq);
        rows.push(...(some as (Row & (typeof some)[number])[]));
        if (some.length === AT_ONCE) {
          next = rows.at(-1);
        } else {
          const other = nextMidoffice.get(shard, midoffice_id);
          next = other && { ...FIRST, ...(other as Pick<Place, 'midoffice_id'>) };
        }
      }
      return { rows, next };
    }

    return pullForward({
      after: (place) => writer.between(() => pageAfter(place)),
      pull: (seqs) => writer.unsynced(() => pull.run(nowMs, `[${seqs.join()}]`)),
    });
  };
}

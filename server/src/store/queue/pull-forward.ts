/**
 * After the clock was set back: no delivery waits for longer than its own step of the schedule from now on. A backlog
 * may have millions of rows, so it is read in pages, each of them after the last one in the index by due time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { longestStep, stepBefore } from '../../delivery/schedule.ts';

/** Rows in one statement. */
export const AT_ONCE = 250;

/** Where a page begins: after this row. */
export interface Place {
  midoffice_id: string;
  due_at: number;
  seq: number;
}

export interface Row extends Place {
  /** 1 if it is due later than it should be. */
  is_late: number;
}

export interface Page {
  /** About `AT_ONCE` at most. */
  rows: readonly Row[];
  /** Undefined after the last page of the shard. */
  next: Place | undefined;
}

export interface Pages {
  after(place: Place): Page | Promise<Page>;
  pull(seqs: readonly number[]): unknown;
}

export const FIRST: Place = { midoffice_id: '', due_at: 0, seq: 0 };

/** Of one shard, page by page: the midoffices whose deliveries are due earlier now. */
export async function* pullForward({ after, pull }: Pages): AsyncGenerator<string[]> {
  let place: Place | undefined = FIRST;
  while (place) {
    // On an embedded database, each page holds the thread that everything else waits for.
    await nextTurn();
    const { rows, next }: Page = await after(place);
    const late = rows.filter(({ is_late }) => is_late === 1);
    if (late.length > 0) await pull(late.map(({ seq }) => seq));
    yield [...new Set(late.map(({ midoffice_id }) => midoffice_id))];
    place = next;
  }
}

/** `now` is an SQL expression, as are the results. */
export function latestTimes(schedule: readonly number[], now: string) {
  const steps = [0, ...schedule].map((_, n) => `when ${n} then ${stepBefore(n, schedule)}`);
  const latest = `(${now} + case retries_used ${steps.join(' ')} else ${longestStep(schedule)} end)`;
  return {
    // What support asked for is due at once; only the attempt after it has a step.
    dueAt: `(case when scheduled_at is null then ${latest} else ${now} end)`,
    scheduledAt: `(case when scheduled_at > ${latest} then ${latest} else scheduled_at end)`,
  };
}

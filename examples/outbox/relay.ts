/**
 * Sends the events of the outbox to Bellhop, oldest first, one batch at a time. A batch is deleted only after
 * Bellhop has stored it, so a crash in between sends it again; Bellhop knows the event ids and stores nothing
 * twice. Several relays may run: one sends, the others wait for its lock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Lag, type OrderEvent, Outbox, type Row } from './outbox.ts';
import { type Destination, MOST_BODY_BYTES, postEvents } from './post-events.ts';

export interface RelaySettings extends Destination {
  databaseUrl: string;
  /** How often to look without a notice. */
  pollMs: number;
  /** Events in one request; Bellhop takes up to 1,000. */
  batch: number;
}

export type Report = (level: 'info' | 'warn' | 'error', message: string, more?: object) => void;

const LAG_EVERY_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Bellhop never asks for more than a minute. */
const LONGEST_WAIT_SECONDS = 60;
const LONGEST_LOGGED_ID = 256;

/** Runs until `signal` is aborted; then finishes the batch in progress. */
export async function relay(
  settings: RelaySettings,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    let outbox: Outbox | undefined;
    try {
      outbox = await Outbox.open(settings.databaseUrl);
      report('info', 'waiting for the lock of the outbox');
      if (await outbox.lock(signal)) {
        failures = 0;
        report('info', 'sending', await outbox.lag());
        await send(outbox, settings, report, signal);
      }
    } catch (error) {
      report('error', 'cannot use the database of the outbox', {
        reason: (error as Error).message,
      });
      await pauseAfter(failures, null, signal);
    } finally {
      await outbox?.close();
    }
  }
}

async function send(
  outbox: Outbox,
  settings: RelaySettings,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  /** Smaller as soon as a request was too large, because something in between takes less than Bellhop. */
  let mostBytes = MOST_BODY_BYTES;
  let lagAt = performance.now() + LAG_EVERY_MS;
  while (!signal.aborted) {
    if (performance.now() >= lagAt) {
      report('info', 'lag', await outbox.lag());
      lagAt = performance.now() + LAG_EVERY_MS;
    }
    const rows = await outbox.next(settings.batch, mostBytes);
    if (rows.length === 0) {
      await outbox.changed(settings.pollMs, signal);
      continue;
    }
    const answer = await postEvents(
      settings,
      rows.map(({ event }) => event),
    );
    if (answer.kind === 'later') {
      // Also keeps the session from being idle for too long.
      const lag: Lag = await outbox.lag();
      report('warn', 'Bellhop accepts no events now', { reason: answer.reason, ...lag });
      await pauseAfter(failures++, answer.waitSeconds, signal);
      continue;
    }
    failures = 0;
    if (answer.kind === 'too large') {
      mostBytes = Math.ceil(answer.bytes / 2);
      report('warn', 'sending smaller requests', { reason: answer.reason, mostBytes });
      continue;
    }
    if (answer.kind === 'refused') {
      for (const [index, refusal] of answer.refusals) {
        const row = rows[index] as Row;
        await outbox.park(row, refusal);
        report('error', 'parked an event that cannot be sent', { ...idsOf(row), refusal });
      }
      // The rest of the batch is read again and sent at once.
      continue;
    }
    await outbox.remove(rows);
    report('info', 'sent', { events: rows.length, ...answer.outcomes });
  }
}

/** For the log. The event may have been refused because they are too long. */
function idsOf({ event }: Row): Partial<OrderEvent> {
  return {
    event_id: event.event_id.slice(0, LONGEST_LOGGED_ID),
    partner_order_id: event.partner_order_id.slice(0, LONGEST_LOGGED_ID),
  };
}

/** As long as Bellhop asks for, otherwise longer after each failure. The jitter keeps relays apart. */
async function pauseAfter(
  failures: number,
  waitSeconds: number | null,
  signal: AbortSignal,
): Promise<void> {
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  const waitMs =
    waitSeconds === null
      ? backoffMs * (0.5 + Math.random() / 2)
      : Math.min(waitSeconds, LONGEST_WAIT_SECONDS) * 1_000;
  await pause(waitMs, undefined, { signal }).catch(() => {});
}

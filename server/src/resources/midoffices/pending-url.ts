/**
 * A new URL for a receiver that cannot lose webhooks. It is stored as pending, tested with a signed webhook, and takes the
 * place of the old one in one transaction, only after the test was answered with 2xx:
 *
 *     pending ─→ test ─→ delivered: it becomes the URL │ failed: the old URL stays, and the pending one says why
 *
 * The latest change wins: its id shows whether it is still the same. A process that is killed leaves the old URL, and a
 * pending one that was never tested. Sending the old URL drops the pending one. Pending deliveries follow, because they go
 * to what the midoffice has.
 */
import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { newId } from '../../base/ids.ts';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { withEachKey } from '../../delivery/attempt-now.ts';
import type { Database, MidofficeRow, PendingUrlRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import { whyFailed } from '../deliveries/why-failed.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time } from '../forms.ts';
import { findKey } from '../keys/key.ts';
import { Problem } from '../problem.ts';
import { columnsOf } from '../record.ts';
import { Type } from '../type.ts';
import { followNewUrls } from './follow-new-url.ts';
import { checkedUrl, type MidofficeChanges, midoffice, showMidoffice } from './midoffice.ts';
import {
  deletePendingUrls,
  findPendingUrlToChange,
  midoffices,
  readPendingUrl,
  writePendingUrl,
} from './queries.ts';

/** Clients, the audit and the table know it as a wish. */
export const PendingUrl = reply('ReceiverWish', {
  url: like(story.url),
  at: time,
  tested_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'Null while it is being tested, or if the test was interrupted.',
    }),
  ),
  failure: orNull(Type.String({ description: 'Why the test failed, and what to do about it.' })),
});

export type ReceiverChanges = Pick<MidofficeChanges, 'url' | 'body_form' | 'delivery_order'>;

/** Runs in every transaction that changes something, and throws if that may no longer be. */
export type CheckInChange = (db: Database) => Promise<void>;

export async function changeReceiver(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { url: wanted, ...others }: ReceiverChanges,
  check: CheckInChange,
): Promise<void> {
  const url = wanted === undefined ? undefined : await checkedUrl(environment, wanted);
  const current = await midoffices.find(environment.store.db, id);
  const columns = columnsOf(midoffice, others);
  if (url === undefined || url === current.url) {
    await environment.store.change(actor, async (change) => {
      await check(change.db);
      const before = await midoffices.findToChange(change.db, id);
      if (url !== undefined) await deletePendingUrls(change.db, [id]);
      await takeOver(change, actor, before, columns);
    });
    return;
  }
  const pending = await store(environment, actor, { midoffice_id: id, url }, check);
  const failed = await test(environment, pending, { ...current, ...columns });
  let refused: unknown;
  await environment.store.change(actor, async (change) => {
    await check(change.db).catch((error: unknown) => {
      refused = error;
    });
    const failure = refused === undefined ? failed : MAY_NO_LONGER;
    const before = await midoffices.findToChange(change.db, id);
    const now = await findPendingUrlToChange(change.db, id);
    // Somebody asked for another URL meanwhile.
    if (now?.id !== pending.id) throw new Problem('changed_meanwhile');
    if (failure !== undefined) {
      await writePendingUrl(change.db, { ...pending, tested_at: change.now, failure });
      await change.audit('midoffice.url_refused', id, { url: before.url }, { url, failure });
      return;
    }
    await deletePendingUrls(change.db, [id]);
    // What failed was the old URL: this one has just answered.
    await takeOver(change, actor, before, {
      ...columns,
      url,
      failing_since: null,
      alerted_at: null,
    });
  });
  if (refused !== undefined) throw refused;
  if (failed !== undefined) throw new Problem('receiver_test_failed', failed);
}

const MAY_NO_LONGER =
  'Whoever asked for it could no longer change the receiver when the test was over.';

async function store(
  { store }: SupportEnvironment,
  actor: string,
  what: Pick<PendingUrlRow, 'midoffice_id' | 'url'>,
  check: CheckInChange,
): Promise<PendingUrlRow> {
  return store.change(actor, async ({ db, now, audit }) => {
    await check(db);
    const before = await midoffices.findToChange(db, what.midoffice_id);
    const id = newId('wsh', now);
    const row = { ...what, id, wished_by: actor, at: now, tested_at: null, failure: null };
    await writePendingUrl(db, row);
    await audit('midoffice.url_wished', before.id, { url: before.url }, { url: what.url });
    return row;
  });
}

/** Undefined if the receiver has accepted a webhook for an order that does not exist. */
async function test(
  { store, webhooks, clock }: SupportEnvironment,
  { midoffice_id, url }: PendingUrlRow,
  { body_form: bodyForm, signing_key_id }: Pick<MidofficeRow, 'body_form' | 'signing_key_id'>,
): Promise<string | undefined> {
  const key = await findKey(store.db, signing_key_id);
  const overlapping = previousKeysOf(key).filter(({ untilMs }) => untilMs > clock.now());
  const { made } = await withEachKey(1 + overlapping.length, (lastKey) => {
    const event_id = `test-${randomUUID()}`;
    const unknown = { agreement_number: null, status: null };
    const event = { event_id, type: 'updated', partner_order_id: event_id, ...unknown } as const;
    return webhooks.attemptNow(midoffice_id, event, { url, bodyForm, lastKey });
  });
  return made.outcome === 'delivered' ? undefined : whyFailed(made, 'anotherTest');
}

/** In one transaction with the audit; the workers learn of it before the reply is sent. */
async function takeOver(
  { db, now, audit, invalidate, lanesChanged, queue }: Change,
  actor: string,
  before: MidofficeRow,
  columns: Partial<MidofficeRow>,
): Promise<void> {
  const { id } = before;
  await midoffices.patch(db, id, columns);
  const after = { ...before, ...columns };
  await followNewUrls(db, actor, [{ id, before: before.url, after: after.url }], now);
  if (after.delivery_order !== before.delivery_order) await queue.restateOrder(id);
  await invalidate([id]);
  await lanesChanged([id]);
  await audit('midoffice.update', id, showMidoffice(before), showMidoffice(after));
}

/** The URL that is not in use yet; null if there is none. */
export async function showPendingUrl(
  db: Database,
  midofficeId: string,
): Promise<Static<typeof PendingUrl> | null> {
  const pending = await readPendingUrl(db, midofficeId);
  if (!pending) return null;
  const { url, at, tested_at, failure } = pending;
  return { url, at: new Date(at).toISOString(), tested_at: isoOrNull(tested_at), failure };
}

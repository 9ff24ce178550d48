/** Two people change the same thing at the same moment, on two nodes: it ends as one after the other would. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { databaseAt, Rig, type TestMidoffice } from '../../testing/delivery-rig.ts';
import { previousKeysOf } from '../base/sealing/previous-keys.ts';
import { changeDeliveries } from './deliveries/change-deliveries.ts';
import {
  cancelDelivery,
  fastForwardDelivery,
  retryDelivery,
} from './deliveries/change-delivery.ts';
import { deleteGrant, listGrants, putGrant } from './grants/grants.ts';
import { revokeKey } from './keys/change-key.ts';
import { keys } from './keys/queries.ts';
import { rotateKey } from './keys/rotate-key.ts';
import { updateMidoffice } from './midoffices/change-midoffice.ts';
import { certifyPartner, updatePartner } from './partners/change-partner.ts';
import { getPartner } from './partners/partner.ts';

const URL = 'http://127.0.0.1:9/hook';
const HP = 'api/b2b/v3/search/hp/';
const INFO = 'api/b2b/v3/hotel/info/';

describeWithPostgres('at the same moment', (_empty, databaseWithTables) => {
  let url: string;
  let here: Rig;
  let there: Rig;
  let midoffice: TestMidoffice;
  beforeAll(async () => {
    url = await databaseWithTables();
    here = await Rig.open(databaseAt(url), { atEnd: () => {} });
    there = await Rig.open(databaseAt(url), { clock: here.clock, atEnd: () => {} });
    midoffice = await here.midoffice(URL);
  });
  afterAll(async () => {
    await here.close();
    await there.close();
  });

  /**
   * Starts one after the other while somebody holds the row, so that each has come to where it needs it before any
   * can change it.
   */
  async function atOnce(
    [table, column, value]: [table: string, column: string, value: string | number],
    ...acts: (() => Promise<unknown>)[]
  ): Promise<PromiseSettledResult<unknown>[]> {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('begin');
    const hold = `select 1 from bellhop.${table} where ${column} = $1 for update`;
    expect((await holder.query(hold, [value])).rowCount).toBe(1);
    const started: Promise<unknown>[] = [];
    for (const act of acts) {
      started.push(act());
      started.at(-1)?.catch(() => {});
      await untilWaiting(started.length);
    }
    const outcomes = Promise.allSettled(started);
    await holder.query('commit');
    return outcomes;
  }

  async function untilWaiting(count: number): Promise<void> {
    for (;;) {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`.execute(here.store.db);
      if (Number(rows[0]?.waiting) >= count) return;
    }
  }

  /** What the audit says was done to it, the oldest first. */
  async function audited(subject: string) {
    const rows = await here.store.db
      .selectFrom('audit')
      .selectAll()
      .where('subject', '=', subject)
      // As they were written: within a millisecond, ids have no order.
      .orderBy(sql`ctid`)
      .execute();
    return rows.map(({ action, before, after }) => ({
      action,
      before: JSON.parse(before ?? 'null'),
      after: JSON.parse(after ?? 'null'),
    }));
  }

  const fulfilled = (...values: object[]) =>
    values.map((value) => ({ status: 'fulfilled', value: expect.objectContaining(value) }));
  const seqOf = (id: string) => Number(id.slice('del_'.length));

  test('a delivery is cancelled four times: it is cancelled, for everyone', async () => {
    const [id] = (await here.accept(midoffice, ['order'])) as [string];
    const cancel = (rig: Rig) => () => cancelDelivery(rig.environment, 'test', id);
    const outcomes = await atOnce(
      ['pending', 'seq', seqOf(id)],
      ...[here, there, here, there].map(cancel),
    );
    expect(outcomes).toEqual(fulfilled(...Array(4).fill({ id, state: 'cancelled' })));
    expect(await audited(id)).toMatchObject([{ action: 'delivery.cancel' }]);
  });

  test('an unrouted delivery is cancelled and retried', async () => {
    const { partnerId, id: midofficeId } = await here.midoffice(URL);
    await updatePartner(here.environment, 'test', partnerId, { midoffice_id: null });
    const [first, second] = (await here.accept({ partnerId }, ['a', 'b'])) as [string, string];
    await updatePartner(here.environment, 'test', partnerId, { midoffice_id: midofficeId });
    const retry = (id: string) => () => retryDelivery(here.environment, 'test', id);
    const cancel = (id: string) => () => cancelDelivery(there.environment, 'test', id);
    const pending = { state: 'pending', midoffice_id: midofficeId };
    expect(await atOnce(['delivery', 'seq', seqOf(first)], retry(first), cancel(first))).toEqual(
      fulfilled(pending, { state: 'cancelled', midoffice_id: midofficeId }),
    );
    expect(await atOnce(['delivery', 'seq', seqOf(second)], cancel(second), retry(second))).toEqual(
      fulfilled({ state: 'cancelled', midoffice_id: null }, pending),
    );
    expect(await audited(second)).toMatchObject([
      { before: { state: 'unrouted' }, after: { state: 'cancelled' } },
      { before: { state: 'cancelled' }, after: { state: 'pending' } },
    ]);
  });

  test('an unrouted delivery is cancelled while everything unrouted is retried: it stays cancelled', async () => {
    const { partnerId, id: midofficeId } = await here.midoffice(URL);
    await updatePartner(here.environment, 'test', partnerId, { midoffice_id: null });
    const [id] = (await here.accept({ partnerId }, ['order'])) as [string];
    await updatePartner(here.environment, 'test', partnerId, { midoffice_id: midofficeId });
    const filter = { state: 'unrouted', partner_id: partnerId } as const;
    const outcomes = await atOnce(
      ['delivery', 'seq', seqOf(id)],
      () => cancelDelivery(here.environment, 'test', id),
      () => changeDeliveries(there.environment, 'test', { action: 'retry', filter, expected: 1 }),
    );
    expect(outcomes).toEqual(fulfilled({ state: 'cancelled' }, { changed: 0 }));
    const pending = here.store.db.selectFrom('pending').selectAll();
    expect(await pending.where('seq', '=', seqOf(id)).execute()).toEqual([]);
  });

  test('a settled delivery is retried twice: the audit says what each found', async () => {
    const [id] = (await here.accept(midoffice, ['order'])) as [string];
    await cancelDelivery(here.environment, 'test', id);
    const retry = (rig: Rig) => () => retryDelivery(rig.environment, 'test', id);
    await atOnce(['delivery', 'seq', seqOf(id)], retry(here), retry(there));
    expect((await audited(id)).slice(1).map(({ before }) => before.state)).toEqual([
      'cancelled',
      'pending',
    ]);
  });

  test('a delivery is fast-forwarded twice: its wait is skipped once', async () => {
    const [id] = (await here.accept(midoffice, ['order'])) as [string];
    const dueAtMs = here.clock.now() + 60_000;
    const row = here.store.db.updateTable('pending').set({ due_at: dueAtMs });
    await row.where('seq', '=', seqOf(id)).execute();
    const forward = (rig: Rig) => () =>
      fastForwardDelivery({ ...rig.environment, name: 'sandbox' }, 'test', id);
    expect(await atOnce(['pending', 'seq', seqOf(id)], forward(here), forward(there))).toEqual(
      fulfilled(...Array(2).fill({ next_attempt_at: new Date(here.clock.now()).toISOString() })),
    );
    expect(await audited(id)).toMatchObject([{ after: { waits_skipped: 1 } }]);
  });

  test('a key is revoked twice, and rotated meanwhile: it is revoked once and never rotated', async () => {
    const { keyId } = await here.midoffice(URL);
    const outcomes = await atOnce(
      ['api_key', 'key_id', keyId],
      () => revokeKey(here.environment, 'test', keyId),
      () => revokeKey(there.environment, 'test', keyId),
      () => rotateKey(there.environment, 'test', keyId, {}),
    );
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { reason: { code: 'key_revoked' } },
    ]);
    const actions = (await audited(keyId)).map(({ action }) => action);
    expect(actions).toEqual(['key.create', 'key.revoke']);
  });

  test('a key is rotated twice: both API keys that were shown work', async () => {
    const { keyId, apiKey } = await here.midoffice(URL);
    const outcomes = await atOnce(
      ['api_key', 'key_id', keyId],
      () => rotateKey(here.environment, 'test', keyId, {}),
      () => rotateKey(there.environment, 'test', keyId, {}),
    );
    const shown = outcomes.map((each) =>
      each.status === 'fulfilled' ? (each.value as { api_key: string }).api_key : 'refused',
    );
    const key = await keys.read(here.store.db, keyId);
    const valid = key ? [key.digest, ...previousKeysOf(key).map(({ digest }) => digest)] : [];
    const { vault } = here.environment;
    expect(valid).toEqual(
      [shown[1], shown[0], apiKey].map((each) => vault.digest(keyId, each as string)),
    );
  });

  test('two grants of a key are changed: both are kept', async () => {
    const { keyId } = await here.midoffice(URL);
    const put = (rig: Rig, endpoint: string) => () =>
      putGrant(rig.environment, 'test', keyId, { endpoint, is_active: false });
    const outcomes = await atOnce(['api_key', 'key_id', keyId], put(here, HP), put(there, INFO));
    expect(outcomes).toEqual(fulfilled({ endpoint: HP }, { endpoint: INFO }));
    const grants = await listGrants(here.environment, keyId);
    expect(grants.flatMap((each) => (each.is_active ? [] : each.endpoint))).toEqual([HP, INFO]);
  });

  test('a grant is lowered and raised again: the raise is compared with the lowered one', async () => {
    const { keyId, partnerId } = await here.midoffice(URL);
    const high = { endpoint: HP, requests_number: 50 };
    await certifyPartner(here.environment, 'test', partnerId, { reference: 'CERT-1' });
    await putGrant(here.environment, 'test', keyId, { ...high, approval_reference: 'OK' });
    await deleteGrant(here.environment, 'test', keyId, HP);
    const outcomes = await atOnce(
      ['api_key', 'key_id', keyId],
      () => putGrant(here.environment, 'test', keyId, { endpoint: HP, requests_number: 5 }),
      () => putGrant(there.environment, 'test', keyId, high),
    );
    expect(outcomes).toMatchObject([
      { value: { requests_number: 5 } },
      { reason: { code: 'approval_required' } },
    ]);
  });

  test('a partner is suspended and resumed: nodes are told of both', async () => {
    const { keyId, partnerId } = await here.midoffice(URL);
    const update = (rig: Rig, suspended: boolean) => () =>
      updatePartner(rig.environment, 'test', partnerId, { suspended });
    await atOnce(['partner', 'id', partnerId], update(here, true), update(there, false));
    expect(await getPartner(here.environment, partnerId)).toMatchObject({ suspended: false });
    const changes = here.store.db.selectFrom('key_change').selectAll();
    expect(await changes.where('key_id', '=', keyId).execute()).toHaveLength(2);
  });

  test('the order of a midoffice is changed and changed back: so is what is pending', async () => {
    const { id, partnerId } = await here.midoffice(URL);
    await here.accept({ partnerId }, ['order']);
    const update = (rig: Rig, delivery_order: 'any' | 'per_order') => () =>
      updateMidoffice(rig.environment, 'test', id, { delivery_order });
    await atOnce(['midoffice', 'id', id], update(here, 'per_order'), update(there, 'any'));
    const pending = here.store.db.selectFrom('pending').select('order_key');
    expect(await pending.where('midoffice_id', '=', id).execute()).toEqual([{ order_key: null }]);
  });
});

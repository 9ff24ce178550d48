import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { deleteGrant, listGrants, putGrant } from '../grants/grants.ts';
import { revokeKey, updateKey } from '../keys/change-key.ts';
import { updateMidoffice } from '../midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../midoffices/recover-midoffice.ts';
import { certifyPartner, updatePartner } from '../partners/change-partner.ts';
import { getPartner } from '../partners/partner.ts';
import { listPartnerActivity } from '../portal/activity.ts';
import { showEntries } from './audit.ts';
import { newestAudit, readAudit } from './queries.ts';
import { revertChange } from './revert.ts';

const HP = 'api/b2b/v3/search/hp/';

describeOnEachStore('undoing a change', (newDatabase) => {
  async function start() {
    const rig = await Rig.open(await newDatabase());
    const midoffice = await rig.midoffice('http://127.0.0.1:9/');
    const { environment } = rig;
    // Each change gets a time of its own, so that the newest is known.
    const { change } = environment.store;
    environment.store.change = (...args) => {
      rig.clock.advance(1);
      return change(...args);
    };
    const newest = async (subject: string) => {
      const [entry] = await newestAudit(environment.store.db, { limit: 1 }, { subject });
      return entry?.id ?? '';
    };
    const hp = async () =>
      (await listGrants(environment, midoffice.keyId)).find(({ endpoint }) => endpoint === HP);
    return { rig, environment, newest, hp, ...midoffice };
  }

  test('puts fields back, as a new entry that can be undone too', async () => {
    const { environment, newest, partnerId } = await start();
    const was = await getPartner(environment, partnerId);
    await updatePartner(environment, 'Ann', partnerId, { name: 'Other', suspended: true });
    const changed = await newest(partnerId);
    const made = await revertChange(environment, 'Bob', changed);
    expect(await getPartner(environment, partnerId)).toEqual(was);
    expect(made).toMatchObject({
      actor: 'Bob',
      action: 'partner.update',
      after: { reverts: changed, name: was.name, suspended: false },
      can_revert: true,
    });
    await revertChange(environment, 'Ann', made.id);
    expect(await getPartner(environment, partnerId)).toMatchObject({ name: 'Other' });
  });

  test('is refused if one of its fields changed since, and not if another did', async () => {
    const { environment, newest, id } = await start();
    await updateMidoffice(environment, 'Ann', id, { max_in_flight: 3 });
    const changed = await newest(id);
    await updateMidoffice(environment, 'Ann', id, { name: 'Renamed' });
    await revertChange(environment, 'Bob', changed);
    await expect(revertChange(environment, 'Bob', changed)).rejects.toMatchObject({
      code: 'changed_since',
    });
  });

  test('returns its own entry, however often the record changes right after', async () => {
    const { environment, newest, id } = await start();
    await updateMidoffice(environment, 'Ann', id, { max_in_flight: 3 });
    const changed = await newest(id);
    const { store } = environment;
    const { change } = store;
    store.change = async (...args) => {
      store.change = change;
      const result = await change(...args);
      for (let i = 0; i < 12; i++) {
        await updateMidoffice(environment, 'Ann', id, { name: `Renamed ${i}` });
      }
      return result;
    };
    const made = await revertChange(environment, 'Bob', changed);
    expect(made).toMatchObject({ actor: 'Bob', subject: id, after: { reverts: changed } });
  });

  test('of a limit follows the rules of raising one', async () => {
    const { environment, newest, hp, keyId, partnerId } = await start();
    await putGrant(environment, 'Ann', keyId, { endpoint: HP, requests_number: 2 });
    const lowered = await newest(keyId);
    const undo = (how = {}) => revertChange(environment, 'Bob', lowered, how);
    await expect(undo()).rejects.toMatchObject({ code: 'certification_required' });
    await certifyPartner(environment, 'Ann', partnerId, { reference: 'C-1' });
    await expect(undo()).rejects.toMatchObject({ code: 'approval_required' });
    expect(await hp()).toMatchObject({ requests_number: 2 });
    const made = await undo({ approval_reference: 'TICKET-1' });
    expect(await hp()).toMatchObject({ requests_number: 10 });
    expect(made.sentence).toMatch(
      /^undid a change: raised search\/hp\/ for .* from 2 to 10 a minute, TICKET-1$/,
    );
  });

  test('grants what was withdrawn, and withdraws what was granted', async () => {
    const { environment, newest, hp, keyId } = await start();
    await deleteGrant(environment, 'Ann', keyId, HP);
    const granted = await revertChange(environment, 'Bob', await newest(keyId));
    expect(await hp()).toMatchObject({ requests_number: 10 });
    await revertChange(environment, 'Bob', granted.id);
    expect(await hp()).toBeUndefined();
    await revertChange(environment, 'Bob', await newest(keyId));
    expect(await hp()).toMatchObject({ requests_number: 10 });
  });

  test('is not offered twice, and says in words what changed again', async () => {
    const { environment, newest, keyId } = await start();
    const { db } = environment.store;
    const offered = async (id: string) => {
      const row = await readAudit(db, id);
      return (await showEntries(db, row ? [row] : []))[0]?.can_revert;
    };
    await updateKey(environment, 'Ann', keyId, { allowed_ips: ['192.0.2.1'] });
    const changed = await newest(keyId);
    expect(await offered(changed)).toBe(true);
    const { id: undone } = await revertChange(environment, 'Bob', changed);
    expect(await offered(changed)).toBe(false);
    expect(await offered(undone)).toBe(true);
    await updateKey(environment, 'Ann', keyId, { allowed_ips: ['192.0.2.2'] });
    await expect(revertChange(environment, 'Bob', undone)).rejects.toMatchObject({
      code: 'changed_since',
      message: expect.stringMatching(/^The allowed addresses changed again after that\./),
    });
  });

  test('of an undoing puts the first change in force, so that it can be undone again', async () => {
    const { environment, newest, hp, keyId, partnerId } = await start();
    const { db } = environment.store;
    const shown = async (id: string) => {
      const row = await readAudit(db, id);
      const [entry] = await showEntries(db, row ? [row] : []);
      return [entry?.can_revert, entry?.after];
    };
    await deleteGrant(environment, 'Ann', keyId, HP);
    const withdrawn = await newest(keyId);
    const first = await revertChange(environment, 'Bob', withdrawn);
    const { items } = await listPartnerActivity(environment, partnerId, {});
    expect(items.find(({ id }) => id === withdrawn)?.after).toBe(null);
    const second = await revertChange(environment, 'Bob', first.id);
    expect(await shown(withdrawn)).toEqual([true, null]);
    const third = await revertChange(environment, 'Bob', second.id);
    expect(await shown(withdrawn)).toEqual([false, { reverted_by: first.id }]);
    expect((await shown(first.id))[0]).toBe(true);
    await revertChange(environment, 'Bob', third.id);
    await revertChange(environment, 'Bob', withdrawn);
    expect(await hp()).toMatchObject({ requests_number: 10 });
  });

  test('is refused for what cannot be taken back', async () => {
    const { environment, newest, keyId, id } = await start();
    await updateKey(environment, 'Ann', keyId, { label: 'other' });
    const labelled = await newest(keyId);
    await updateMidoffice(environment, 'Ann', id, { headers: { 'X-Tenant': 'one' } });
    const refusal = (entry: string) => revertChange(environment, 'Bob', entry);
    await expect(refusal(await newest(id))).rejects.toMatchObject({ code: 'not_revertible' });
    await revokeKey(environment, 'Ann', keyId);
    await expect(refusal(await newest(keyId))).rejects.toMatchObject({ code: 'not_revertible' });
    await expect(refusal(labelled)).rejects.toMatchObject({ code: 'key_revoked' });
    await expect(refusal('aud_none')).rejects.toMatchObject({ code: 'audit_entry_not_found' });
  });

  test('a recovery in parts is one entry', async () => {
    const { rig, environment, newest, id, partnerId } = await start();
    const orders = ['a', 'b', 'c'];
    await rig.accept({ partnerId }, orders);
    const since = new Date(environment.clock.now() - 1_000).toISOString();
    const until = new Date(environment.clock.now()).toISOString();
    await environment.store.change('Ann', async ({ db, queue, audit }) => {
      const rows = await db.selectFrom('pending').select('seq').execute();
      await queue.cancelMany(rows.map(({ seq }) => ({ seq, state: 'pending' })));
      await audit('test', 'test', null, null);
    });
    const parts: unknown[] = [];
    for (const _ of orders) {
      parts.push(await recoverMidoffice(environment, 'Ann', id, { since, until, limit: 1 }));
    }
    expect(parts).toMatchObject([2, 1, 0].map((remaining) => ({ requeued: 1, remaining })));
    const { db } = environment.store;
    const entries = await newestAudit(db, { limit: 9 }, { action: 'midoffice.recover' });
    expect(entries.map(({ after }) => JSON.parse(after ?? ''))).toEqual([
      // It names orders of the first part.
      { since, until, requeued: 3, orders: ['a'], done: true },
    ]);
    await recoverMidoffice(environment, 'Bob', id, { since, until, limit: 1 });
    expect(await newest(id)).not.toBe(entries[0]?.id);
  });
});

/** A new URL for a receiver cannot lose webhooks, whatever happens while it is tested. */
import { beforeAll, describe, expect, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../../testing/delivery-rig.ts';
import { hang, status } from '../../../testing/webhook-receiver.ts';
import type { SupportEnvironment } from '../environment.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { updateMidoffice } from './change-midoffice.ts';
import { changeReceiver, showPendingUrl } from './pending-url.ts';
import { midoffices } from './queries.ts';

const OLD = 'http://127.0.0.1:9/old';
const ANN = 'Ann (tok_1)';
const PARTNER = 'Test partner (portal par_1)';
const anyone = async () => {};

describeOnEachStore('a new URL', (newDatabase) => {
  let rig: Rig;
  let environment: SupportEnvironment;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    ({ environment } = rig);
    return () => rig.close();
  });

  const newMidoffice = (): Promise<TestMidoffice> => rig.midoffice(OLD);
  const change = (id: string, changes: Parameters<typeof changeReceiver>[3]) =>
    changeReceiver(environment, PARTNER, id, changes, anyone);
  const read = (id: string) => midoffices.find(environment.store.db, id);
  const pendingUrlOf = (id: string) => showPendingUrl(environment.store.db, id);

  async function audited(subject: string): Promise<string[]> {
    const rows = await environment.store.db
      .selectFrom('audit')
      .select(['action', 'actor'])
      .where('subject', '=', subject)
      .where('actor', '=', PARTNER)
      .orderBy('at')
      .execute();
    return rows.map(({ action }) => action).sort();
  }

  test('takes effect once a signed test webhook to it was answered with 2xx', async () => {
    const { id } = await newMidoffice();
    const receiver = await rig.receiver(status(204));
    await change(id, { url: receiver.url, body_form: 'flat', delivery_order: 'per_order' });
    expect(await read(id)).toMatchObject({
      url: receiver.url,
      body_form: 'flat',
      delivery_order: 'per_order',
    });
    expect(await pendingUrlOf(id)).toBeNull();
    const [webhook, ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(webhook?.json).toMatchObject({
      type: 'updated',
      signature: { token: expect.any(String) },
    });
    expect(await audited(id)).toEqual(['midoffice.update', 'midoffice.url_wished']);
  });

  test('that does not answer as it should leaves the old one, and says why', async () => {
    const { id } = await newMidoffice();
    const receiver = await rig.receiver(status(404));
    const failed = await change(id, { url: receiver.url, body_form: 'flat' }).catch(
      (error) => error,
    );
    expect(failed).toMatchObject({ code: 'receiver_test_failed' });
    expect(receiver.received).toHaveLength(1);
    expect(failed.message).toContain('answered 404');
    expect(await read(id)).toMatchObject({ url: OLD, body_form: 'data' });
    expect(await pendingUrlOf(id)).toMatchObject({
      url: receiver.url,
      tested_at: expect.any(String),
      failure: failed.message,
    });
    expect(await audited(id)).toEqual(['midoffice.url_refused', 'midoffice.url_wished']);
    receiver.answer = status(200);
    await change(id, { url: receiver.url });
    expect(await read(id)).toMatchObject({ url: receiver.url });
    expect(await pendingUrlOf(id)).toBeNull();
  });

  test('is not called if webhooks may not go there', async () => {
    const { id } = await newMidoffice();
    const refused = { code: 'receiver_refused' };
    await expect(change(id, { url: 'http://10.0.0.1/hook' })).rejects.toMatchObject(refused);
    expect(await pendingUrlOf(id)).toBeNull();
  });

  test('that is the old one needs no test', async () => {
    const { id } = await newMidoffice();
    await change(id, { url: OLD, body_form: 'both' });
    expect(await read(id)).toMatchObject({ url: OLD, body_form: 'both' });
  });

  test('is given up by sending the old one, which changes nothing else', async () => {
    const { id } = await newMidoffice();
    const receiver = await rig.receiver(status(404));
    await expect(change(id, { url: receiver.url })).rejects.toThrow();
    const before = await read(id);
    await change(id, { url: OLD.replace('http', 'HTTP') });
    expect(await read(id)).toEqual(before);
    expect(await pendingUrlOf(id)).toBeNull();
  });

  describe('while it is tested', () => {
    test('the old one stays, and a later change wins', async () => {
      const { id } = await newMidoffice();
      const slow = await rig.receiver(hang);
      const first = change(id, { url: slow.url });
      await slow.came(1);
      expect(await read(id)).toMatchObject({ url: OLD });
      expect(await pendingUrlOf(id)).toMatchObject({
        url: slow.url,
        tested_at: null,
        failure: null,
      });
      const quick = await rig.receiver();
      await change(id, { url: quick.url });
      slow.answerAll(status(200));
      await expect(first).rejects.toMatchObject({ code: 'changed_meanwhile' });
      expect(await read(id)).toMatchObject({ url: quick.url });
    });

    test('a later change that fails leaves the old one as well', async () => {
      const { id } = await newMidoffice();
      const slow = await rig.receiver(hang);
      const first = change(id, { url: slow.url });
      await slow.came(1);
      const bad = await rig.receiver(status(500));
      const failed = { code: 'receiver_test_failed' };
      await expect(change(id, { url: bad.url })).rejects.toMatchObject(failed);
      slow.answerAll(status(200));
      await expect(first).rejects.toMatchObject({ code: 'changed_meanwhile' });
      expect(await read(id)).toMatchObject({ url: OLD });
      expect(await pendingUrlOf(id)).toMatchObject({ url: bad.url });
    });

    test('a change of the URL by support wins', async () => {
      const { id } = await newMidoffice();
      const slow = await rig.receiver(hang);
      const changing = change(id, { url: slow.url });
      await slow.came(1);
      await updateMidoffice(environment, ANN, id, { url: 'http://127.0.0.1:9/support' });
      slow.answerAll(status(200));
      await expect(changing).rejects.toMatchObject({ code: 'changed_meanwhile' });
      expect(await read(id)).toMatchObject({ url: 'http://127.0.0.1:9/support' });
    });

    test('a pause stays a pause, and a rotation changes nothing', async () => {
      const { id, keyId } = await newMidoffice();
      const slow = await rig.receiver(hang);
      const changing = change(id, { url: slow.url });
      await slow.came(1);
      await updateMidoffice(environment, ANN, id, { paused: true });
      await rotateKey(environment, ANN, keyId, {});
      slow.answerAll(status(200));
      await changing;
      expect(await read(id)).toMatchObject({ url: slow.url, paused: 1 });
    });

    test('whoever may no longer change it does not', async () => {
      const { id } = await newMidoffice();
      const slow = await rig.receiver(hang);
      let isAllowed = true;
      const changing = changeReceiver(environment, PARTNER, id, { url: slow.url }, async () => {
        if (!isAllowed) throw new Error('not any more');
      });
      await slow.came(1);
      isAllowed = false;
      slow.answerAll(status(200));
      await expect(changing).rejects.toThrow('not any more');
      expect(await read(id)).toMatchObject({ url: OLD });
      // It does not look as if it were still being tested.
      expect(await pendingUrlOf(id)).toMatchObject({
        tested_at: expect.any(String),
        failure: expect.stringContaining('could no longer change the receiver'),
      });
    });
  });

  test('is tested with each of the keys while rotations overlap', async () => {
    const { id, keyId } = await newMidoffice();
    await rotateKey(environment, ANN, keyId, {});
    await rotateKey(environment, ANN, keyId, {});
    let calls = 0;
    const picky = await rig.receiver((...args) => status(++calls < 3 ? 401 : 200)(...args));
    await change(id, { url: picky.url });
    expect(calls).toBe(3);
    expect(await read(id)).toMatchObject({ url: picky.url });
    const refusing = await rig.receiver(status(401));
    const failed = { code: 'receiver_test_failed' };
    await expect(change(id, { url: refusing.url })).rejects.toMatchObject(failed);
    expect(refusing.received).toHaveLength(3);
  });

  test('is where pending deliveries go, and is not failing because the old one was', async () => {
    const midoffice = await newMidoffice();
    await rig.start();
    await rig.accept(midoffice, ['waiting']);
    await rig.settled(1);
    await expect.poll(() => read(midoffice.id)).toMatchObject({ failing_since: expect.anything() });
    const receiver = await rig.receiver();
    await change(midoffice.id, { url: receiver.url });
    expect(await read(midoffice.id)).toMatchObject({ failing_since: null });
    receiver.answer = status(500);
    rig.clock.advance(30_000);
    await receiver.came(2);
    expect(receiver.received[1]?.orderId).toBe('waiting');
    await expect.poll(() => read(midoffice.id)).toMatchObject({ failing_since: expect.anything() });
    await rig.stop();
  });
});

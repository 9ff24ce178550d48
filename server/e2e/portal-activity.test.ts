/** What the portal’s activity and support’s audit say of each other’s changes. */
import { expect, test } from 'vitest';
import { describePortal, NOBODY, newPerson, type Person, SUPPORT } from './portal-person.ts';

describePortal((bellhop) => {
  test('an entry of the audit has at most 4 KiB, whatever the record holds', async () => {
    const { keyId, get, send } = await newPerson(bellhop);
    const list = (from: number) =>
      Array.from({ length: 999 }, (_, n) => `2001:db8::${(from + n).toString(16)}/128`);
    const allowed_ips = ['127.0.0.0/8', ...list(0)];
    expect((await send('PATCH', `keys/${keyId}`, { allowed_ips })).status).toBe(200);
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    const another = ['127.0.0.0/8', ...list(1)];
    const { body: shown } = await send('PATCH', `keys/${keyId}`, { allowed_ips: another });
    expect(shown.allowed_ips).toEqual(another);
    const { body } = await bellhop.support('GET', `${SUPPORT}/audit?subject=${keyId}&limit=3`);
    const [moved, labelled, added] = body.items;
    for (const { before, after } of body.items) {
      expect(JSON.stringify(before).length + JSON.stringify(after).length).toBeLessThan(4_096);
      expect(after.left_out).toEqual({ allowed_ips: expect.any(Number) });
      expect(after.portal_session).toMatch(/^pse_/);
    }
    expect([moved, labelled, added].map(({ can_revert }) => can_revert)).toEqual([
      false,
      true,
      false,
    ]);
    expect(moved.before.allowed_ips).toEqual(['2001:db8::0/128']);
    expect(moved.after.allowed_ips).toEqual(['2001:db8::3e7/128']);
    const reverted = await bellhop.support('POST', `${SUPPORT}/audit/${moved.id}/revert`, {});
    expect(reverted.body.code).toBe('not_revertible');
    expect((await get(`keys/${keyId}`)).body.allowed_ips).toEqual(another);
    const [first] = (await get('activity?limit=1')).body.items;
    expect(first.sentence).toMatch(/^changed the allowed addresses of .* from 2001:db8::0/);
  });

  test('activity says what support and the partner did, and nothing that is for support alone', async () => {
    const { partnerId, keyId, midofficeId, order, idOf, get, send } = await newPerson(bellhop);
    await order('order 8');
    const id = await idOf('order 8');
    const at = `${SUPPORT}/partners/${partnerId}`;
    await bellhop.support('POST', `${at}/notes`, { text: 'calls a lot' });
    await bellhop.support('POST', `${at}/certification`, { reference: 'secret-reference' });
    await bellhop.support('PATCH', `${SUPPORT}/midoffices/${midofficeId}`, {
      headers: { 'X-Gateway': 'hunter2' },
      paused: true,
    });
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    await send('POST', `deliveries/${id}/retry`);
    // What they did before is still theirs.
    await bellhop.support('PATCH', at, { name: 'Renamed' });
    const { body } = await get('activity');
    const lines = body.items.map((one: Record<string, string>) => `${one.by} ${one.action}`);
    expect(lines.slice(1, 3).sort()).toEqual(['partner delivery.retry', 'partner key.update']);
    expect(lines).toContain('support midoffice.update');
    expect(lines).toContain('support portal_link.create');
    expect(lines).toContain('partner portal_session.open');
    const [named] = body.items.filter((one: { action: string }) => one.action === 'key.update');
    expect(named).toMatchObject({ before: { label: null }, after: { label: 'Web shop' } });
    const sentences = body.items.map((one: { sentence: string }) => one.sentence);
    expect(sentences).toContain('changed the name of Renamed from “Test partner” to Renamed');
    expect(sentences).toContain('sent order order 8 again');
    expect(sentences).toContain(
      'changed the label of the key Renamed (Web shop) from none to “Web shop”',
    );
    const text = JSON.stringify(body);
    for (const hidden of [
      'calls a lot',
      'secret-reference',
      'X-Gateway',
      'hunter2',
      'admin',
      'pse_x',
    ]) {
      expect(text).not.toContain(hidden);
    }
    const pages = [];
    for (let next = 'activity?limit=2'; next !== ''; ) {
      const page = (await get(next)).body;
      pages.push(...page.items);
      next = page.next_cursor === null ? '' : `activity?limit=2&cursor=${page.next_cursor}`;
    }
    expect(pages).toEqual((await get('activity?limit=200')).body.items);
  });

  test('activity has what support did to one’s webhooks, and no count of those of others', async () => {
    const one = await newPerson(bellhop);
    const other = await newPerson(bellhop, { sharing: one.midofficeId });
    const [a, b] = [await one.order('a'), await one.order('b')];
    const c = await other.order('c');
    await bellhop.support('POST', `${SUPPORT}/deliveries/${a}/retry`);
    await bellhop.support('POST', `${SUPPORT}/deliveries/${c}/retry`);
    await bellhop.support('POST', `${SUPPORT}/deliveries/${a}/cancel`, { reason: 'hush' });
    const bulk = { action: 'cancel', filter: { ids: [a, b, c] }, expected: 3, reason: 'hush' };
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, bulk);
    const again = { ...bulk, action: 'retry' };
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, again);
    await bellhop.support('POST', `${SUPPORT}/deliveries/bulk`, bulk);
    const since = '2026-01-01T00:00:00Z';
    await bellhop.support('POST', `${SUPPORT}/midoffices/${one.midofficeId}/recovery`, { since });
    const told = async ({ get }: Person) => {
      const { body } = await get('activity');
      const ofDeliveries = body.items.filter(({ action }: { action: string }) =>
        /^deliver|recover$/.test(action),
      );
      return { text: JSON.stringify(ofDeliveries), ofDeliveries };
    };
    const saidTo = async (person: Person) =>
      (await told(person)).ofDeliveries.map((entry: Record<string, string>) => [
        entry.by,
        entry.sentence,
      ]);
    expect(await saidTo(one)).toEqual([
      ['support', 'sent 2 deliveries of Test midoffice again'],
      ['support', 'cancelled 2 deliveries'],
      ['support', 'sent 2 deliveries again'],
      // The other one was cancelled already.
      ['support', 'cancelled 1 delivery'],
      ['support', 'cancelled the delivery of order a'],
      ['support', 'sent order a again'],
    ]);
    expect(await saidTo(other)).toEqual([
      ['support', 'sent 1 delivery of Test midoffice again'],
      ['support', 'cancelled 1 delivery'],
      ['support', 'sent 1 delivery again'],
      ['support', 'cancelled 1 delivery'],
      ['support', 'sent order c again'],
    ]);
    // An own id can begin like one of support's.
    for (const hidden of ['hush', `${b}"`, `${c}"`, other.partnerId, 'admin']) {
      expect((await told(one)).text).not.toContain(hidden);
    }
    const { ofDeliveries } = await told(other);
    expect(ofDeliveries[1]).toMatchObject({ before: null, after: { changed: 1, done: true } });
  });

  test('activity names another midoffice, and tells a change that is support’s from a save without one', async () => {
    const { partnerId, midofficeId, keyId, get } = await newPerson(bellhop);
    const patch = (path: string, body: object) =>
      bellhop.support('PATCH', `${SUPPORT}/${path}`, body);
    const newest = async () => (await get('activity?limit=1')).body.items[0];
    await patch(`partners/${partnerId}`, { midoffice_id: midofficeId });
    expect((await newest()).sentence).toBe('saved Test partner without a change');
    await patch(`midoffices/${midofficeId}`, { max_in_flight: 7 });
    expect((await newest()).sentence).toBe('changed Test midoffice');
    await patch(`midoffices/${midofficeId}`, { headers: { 'X-Gateway': 'one' } });
    await patch(`midoffices/${midofficeId}`, { headers: { 'X-Gateway': 'two' } });
    expect((await newest()).sentence).toBe('changed Test midoffice');
    const second = { name: 'Second', url: NOBODY, signing_key_id: keyId };
    const { body: created } = await bellhop.support('POST', `${SUPPORT}/midoffices`, second);
    await patch(`partners/${partnerId}`, { midoffice_id: created.id });
    expect(await newest()).toMatchObject({
      sentence: 'changed the midoffice of Test partner from Test midoffice to Second',
      before: { midoffice_id: midofficeId },
      after: { midoffice_id: created.id },
    });
  });

  test('support’s audit names the partner and the session of each change', async () => {
    const { partnerId, keyId, send } = await newPerson(bellhop);
    await send('PATCH', `keys/${keyId}`, { label: 'Web shop' });
    const { body } = await bellhop.support('GET', `${SUPPORT}/audit?subject=${keyId}&limit=1`);
    const { body: sessions } = await bellhop.support(
      'GET',
      `${SUPPORT}/partners/${partnerId}/portal-sessions`,
    );
    expect(body.items[0]).toMatchObject({
      action: 'key.update',
      actor: `Test partner (portal ${partnerId})`,
      after: { label: 'Web shop', portal_session: sessions.items[0].id },
    });
    // Found by the partner's name of today, in any case, by its id, and by the whole actor.
    await bellhop.support('PATCH', `${SUPPORT}/partners/${partnerId}`, { name: 'Lune d’Été' });
    for (const actor of ['lune d’Été', partnerId, body.items[0].actor]) {
      const query = `actor=${encodeURIComponent(actor)}&subject=${keyId}`;
      const { body: found } = await bellhop.support('GET', `${SUPPORT}/audit?${query}`);
      expect(found.items).toMatchObject([{ id: body.items[0].id }]);
      const { body: counted } = await bellhop.support('GET', `${SUPPORT}/audit/count?${query}`);
      expect(counted.count).toBe(1);
    }
  });
});

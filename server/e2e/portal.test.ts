/** What people at a partner see and change in the portal: their keys, their receiver, their settings. */
import { expect, test } from 'vitest';
import { type PortalBrowser, signedInBrowser } from '../testing/portal-browser.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { describePortal, NOBODY, newPerson, SUPPORT } from './portal-person.ts';

describePortal((bellhop) => {
  test('a key shows its limits as the overview does, and how much is used', async () => {
    const { keyId, get } = await newPerson(bellhop);
    const { body: grants } = await bellhop.support('GET', `${SUPPORT}/keys/${keyId}/endpoints`);
    const { body } = await get(`keys/${keyId}/limits`);
    expect(body.items).toHaveLength(43);
    expect(body.items[0]).toEqual({
      ...grants.items[0],
      used: 0,
      remaining: grants.items[0].requests_number,
      resets_at: null,
    });
    const { body: key } = await get(`keys/${keyId}`);
    expect(key).toMatchObject({ key_id: keyId, last_used_at: null, allowed_ips: null });
    expect(JSON.stringify(key)).not.toMatch(/sealed|digest|api_key/);
    expect((await get('keys')).body).toEqual({ items: [key], next_cursor: null });
  });

  test('a key is rotated, named and limited to addresses, one’s own included or asked twice', async () => {
    const { keyId, send } = await newPerson(bellhop);
    const rotated = await send('POST', `keys/${keyId}/rotation`, {});
    expect(rotated.body).toMatchObject({
      api_key: expect.any(String),
      overlap_ends: [expect.any(String)],
    });
    const patch = (body: object) => send('PATCH', `keys/${keyId}`, body);
    expect((await patch({ label: 'Web shop' })).body.label).toBe('Web shop');
    const elsewhere = { allowed_ips: ['203.0.113.0/24'] };
    expect(await patch(elsewhere)).toMatchObject({
      status: 409,
      body: { code: 'own_address_excluded' },
    });
    const both = ['203.0.113.0/24', '127.0.0.0/8'];
    expect((await patch({ allowed_ips: both })).body.allowed_ips).toEqual(both);
    const meant = await patch({ ...elsewhere, exclude_own_address: true });
    expect(meant.body.allowed_ips).toEqual(elsewhere.allowed_ips);
    expect((await patch({ allowed_ips: null })).body.allowed_ips).toBeNull();
    expect((await patch({ disabled: true })).status).toBe(422);
    await bellhop.support('DELETE', `${SUPPORT}/keys/${keyId}`);
    expect(await patch({ label: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'key_revoked' },
    });
  });

  test('a body that is not JSON is refused, and not taken for an empty one', async () => {
    const { keyId, get, send } = await newPerson(bellhop);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const rotation = `keys/${keyId}/rotation`;
    for (const path of [rotation, 'midoffice/send-pending', 'session']) {
      const reply = await send('POST', path, { overlap_seconds: 0 }, form);
      expect(reply, path).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
    expect((await get(`keys/${keyId}`)).body.overlap_ends).toEqual([]);
  });

  test('the receiver moves when its new URL has answered, and is tested and checked', async () => {
    const { get, send } = await newPerson(bellhop);
    expect((await get('midoffice')).body).toMatchObject({
      url: NOBODY,
      is_shared: false,
      pending: 0,
      url_change: null,
    });
    const receiver = await startReceiver(status(503));
    const failed = await send('PATCH', 'midoffice', { url: receiver.url });
    expect(failed).toMatchObject({ status: 422, body: { code: 'receiver_test_failed' } });
    expect((await get('midoffice')).body).toMatchObject({
      url: NOBODY,
      url_change: { url: receiver.url, failure: failed.body.detail },
    });
    receiver.answer = status(200);
    const moved = await send('PATCH', 'midoffice', { url: receiver.url, body_form: 'flat' });
    expect(moved.body).toMatchObject({ url: receiver.url, body_form: 'flat', url_change: null });
    const sent = await send('POST', 'midoffice/test-event');
    expect(sent.body).toMatchObject({ outcome: 'delivered', status_code: 200 });
    expect((await get('midoffice')).body.last_test).toMatchObject({ outcome: 'delivered' });
    expect(JSON.stringify(moved.body)).not.toContain('headers');
    await receiver.close();
    const { body } = await send('POST', 'midoffice/receiver-check', {});
    expect(body).toMatchObject({ verdict: 'failed', url: receiver.url });
  });

  test('a URL that may not be called is refused without the names of settings', async () => {
    const { send } = await newPerson(bellhop);
    for (const url of ['http://10.0.0.1/', 'https://10.0.0.1/', 'http://192.0.2.1/']) {
      const { status, body } = await send('PATCH', 'midoffice', { url });
      expect([status, body.code]).toEqual([422, 'receiver_refused']);
      expect(body.detail).toContain('the operator');
      expect(JSON.stringify(body)).not.toContain('BELLHOP_');
    }
    const elsewhere = { origin: 'https://elsewhere.example' };
    const { body } = await send('PATCH', 'midoffice', { url: NOBODY }, elsewhere);
    expect(body.code).toBe('csrf');
    expect(JSON.stringify(body)).not.toContain('BELLHOP_');
  });

  test('a partner without a midoffice has none to show', async () => {
    const { partnerId } = await bellhop.newKey('production');
    const { get, send } = await signedInBrowser(bellhop, 'production', partnerId);
    for (const reply of [await get('midoffice'), await send('POST', 'midoffice/test-event')]) {
      expect(reply).toMatchObject({ status: 404, body: { code: 'midoffice_not_found' } });
    }
  });

  test('of a midoffice that others share, one sees no more, and sends nothing to it', async () => {
    const one = await newPerson(bellhop);
    const other = await newPerson(bellhop, { sharing: one.midofficeId });
    const id = await one.order('a');
    expect((await one.get('midoffice')).body).toMatchObject({
      url: NOBODY,
      is_shared: true,
      is_own: false,
      pending: null,
      waiting: null,
    });
    expect((await one.get('home')).body.midoffice).toEqual((await one.get('midoffice')).body);
    // The key of one of them signs for both.
    expect((await one.get('midoffice')).body.signing_key_id).toBe(one.keyId);
    expect((await other.get('midoffice')).body.signing_key_id).toBeNull();
    await bellhop.support('POST', `${SUPPORT}/deliveries/${id}/cancel`);
    const since = '2026-01-01T00:00:00Z';
    const tries: [method: string, path: string, body?: object][] = [
      ['PATCH', 'midoffice', { body_form: 'flat' }],
      ['PATCH', 'midoffice', { url: NOBODY }],
      ['POST', 'midoffice/test-event'],
      ['POST', 'midoffice/receiver-check', {}],
      ['POST', 'midoffice/recovery', { since }],
      ['POST', 'midoffice/send-pending'],
      ['POST', `deliveries/${await one.idOf('a')}/retry`],
    ];
    for (const by of [one, other]) {
      for (const [method, path, body] of tries) {
        const reply = await by.send(method, path, body);
        const isForeign = by === other && path.startsWith('deliveries');
        expect(reply.body.code, path).toBe(isForeign ? 'delivery_not_found' : 'midoffice_not_own');
      }
    }
    const { body } = await bellhop.support('GET', `${SUPPORT}/deliveries/${id}`);
    expect(body.state).toBe('cancelled');
  });

  test('keys are rotated ten times a minute, because each rotation is mailed to all contacts', async () => {
    const { keyId, send } = await newPerson(bellhop);
    const rotate = () => send('POST', `keys/${keyId}/rotation`, { overlap_seconds: 0 });
    const replies = await Promise.all(Array.from({ length: 12 }, rotate));
    const codes = replies.flatMap(({ status, body }) => (status === 429 ? [body.code] : []));
    expect(codes).toEqual(['too_many_portal_calls', 'too_many_portal_calls']);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  });

  test('labels, allow-lists, settings and contacts are changed 30 times a minute by a session, 60 by a partner', async () => {
    const { partnerId, keyId, send } = await newPerson(bellhop);
    const changes: [method: string, path: string, body: object][] = [
      ['PATCH', `keys/${keyId}`, { label: 'Web shop' }],
      ['PATCH', `keys/${keyId}`, { allowed_ips: null }],
      ['PATCH', 'midoffice', { body_form: 'flat' }],
      ['PUT', 'contacts', { contacts: [] }],
    ];
    const change = (by: PortalBrowser['send'], times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, n) => {
          const [method = '', path = '', body] = changes[n % changes.length] ?? [];
          return by(method, path, body);
        }),
      );
    const held = (replies: Awaited<ReturnType<typeof change>>) =>
      replies.filter(({ status }) => status === 429);
    const [refused, ...more] = held(await change(send, 31));
    expect(more).toEqual([]);
    expect(refused?.body.code).toBe('too_many_portal_calls');
    expect(refused?.body.detail).toContain('30 times a minute');
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const second = await signedInBrowser(bellhop, 'production', partnerId);
    expect(held(await change(second.send, 29))).toEqual([]);
    const third = await signedInBrowser(bellhop, 'production', partnerId);
    const [ofPartner, ...others] = held(await change(third.send, 2));
    expect(others).toEqual([]);
    expect(ofPartner?.body.detail).toContain('60 times a minute');
    // What has a pace of its own has it still, and reading has none.
    expect((await send('POST', `keys/${keyId}/rotation`, {})).status).toBe(200);
    expect((await send('GET', 'contacts')).status).toBe(200);
    expect(
      (await (await newPerson(bellhop)).send('PUT', 'contacts', { contacts: [] })).status,
    ).toBe(200);
  });
});

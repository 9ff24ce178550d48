import { describe, expect, test } from 'vitest';
import { basic } from '../testing/bellhop.ts';
import { describeOnEachEngine, sharedBackOffice } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { overview, TIME, UUID } from './called-overview.ts';
import { importInto } from './imported-files.ts';

const KEYS = '/support/v1/production/keys';
describeOnEachEngine('keys', (_start, share) => {
  const shared = share();

  test('are created for a partner, shown once, and work only in their environment', async () => {
    const bellhop = shared();
    const { partnerId } = await bellhop.newKey('production');
    const path = `/support/v1/production/partners/${partnerId}/keys`;
    const { status, body } = await bellhop.support('POST', path, {
      label: 'till 7',
      expires_at: '2099-12-31T23:59:59+02:00',
      allowed_ips: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
      endpoints: ['api/b2b/v3/search/hp/', '/api/b2b/v3/hotel/info'],
    });
    expect(status).toBe(201);
    const { api_key, ...shown } = body;
    expect(body).toEqual({
      key_id: expect.stringMatching(/^\d{10}$/),
      api_key: UUID,
      partner_id: partnerId,
      label: 'till 7',
      disabled: false,
      expires_at: '2099-12-31T21:59:59.000Z',
      allowed_ips: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
      previous_key_valid_until: null,
      overlap_ends: [],
      revoked_at: null,
      created_at: TIME,
      last_used_on: null,
    });

    expect((await bellhop.support('GET', `${KEYS}/${body.key_id}`)).body).toEqual(shown);
    const listed = await bellhop.support('GET', `${KEYS}?partner_id=${partnerId}`);
    expect(listed.body.items).toHaveLength(2);
    expect(listed.body.items).toContainEqual({ ...shown, partner_name: 'Test partner' });

    const authorization = basic(body.key_id, api_key);
    const reply = await overview(bellhop, authorization);
    expect(reply.status).toBe(200);
    expect(reply.body.data.map(({ endpoint }) => endpoint)).toEqual([
      'api/b2b/v3/search/hp/',
      'api/b2b/v3/hotel/info/',
      'api/b2b/v3/overview/',
    ]);
    expect((await overview(bellhop, authorization, 'sandbox')).status).toBe(401);

    const endpoints = await bellhop.support('GET', `${KEYS}/${body.key_id}/endpoints`);
    expect(endpoints.body).toEqual({ items: reply.body.data, next_cursor: null });
  });

  test('can be created and rotated without a body', async () => {
    const bellhop = shared();
    const { partnerId } = await bellhop.newKey('production');
    const headers = { authorization: 'Bearer test-admin-token-0123456789' };
    const made = await fetch(
      `${bellhop.addresses.backOffice}/support/v1/production/partners/${partnerId}/keys`,
      { method: 'POST', headers },
    );
    expect(made.status).toBe(201);
    const { key_id } = (await made.json()) as { key_id: string };
    const rotated = await fetch(`${bellhop.addresses.backOffice}${KEYS}/${key_id}/rotation`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    expect(rotated.status).toBe(200);
  });

  test('are listed by partner', async () => {
    const { support, newKey } = shared();
    const [one, other] = [await newKey('production'), await newKey('production')];
    const of = async (partnerId: string) => {
      const { body } = await support('GET', `${KEYS}?partner_id=${partnerId}`);
      return body.items.map((key: { key_id: string }) => key.key_id);
    };
    expect(await of(one.partnerId)).toEqual([one.keyId]);
    expect(await of(other.partnerId)).toEqual([other.keyId]);
    expect(await of('par_none')).toEqual([]);
  });

  test('are changed field by field, with immediate effect', async () => {
    const bellhop = shared();
    const { keyId, authorization } = await bellhop.newKey('production', { label: 'one' });
    const patch = async (changes: object) =>
      (await bellhop.support('PATCH', `${KEYS}/${keyId}`, changes)).body;
    const status = async () => (await overview(bellhop, authorization)).status;
    expect(await status()).toBe(200);

    expect(await patch({ disabled: true })).toMatchObject({ disabled: true, label: 'one' });
    expect(await status()).toBe(403);
    expect(await patch({ disabled: false, label: null })).toMatchObject({
      disabled: false,
      label: null,
    });
    expect(await status()).toBe(200);

    expect(await patch({ allowed_ips: ['192.0.2.1'] })).toMatchObject({
      allowed_ips: ['192.0.2.1'],
    });
    expect(await status()).toBe(403);
    expect(await patch({ allowed_ips: null })).toMatchObject({ allowed_ips: null });
    expect(await status()).toBe(200);

    const expires_at = '2099-01-01T00:00:00.000Z';
    expect(await patch({ expires_at })).toMatchObject({ expires_at });
    expect(await status()).toBe(200);
  });

  test('that have expired somewhere else come in by an import, and can be changed', async () => {
    const bellhop = shared();
    const { keyId, authorization } = await bellhop.newKey('production');
    const expires_at = '2020-01-01T00:00:00.000Z';
    const line = JSON.stringify({ kind: 'key', key_id: keyId, expires_at });
    expect(await importInto(bellhop, line)).toMatchObject({ status: 200 });
    const status = async () => (await overview(bellhop, authorization)).status;
    expect(await status()).toBe(401);
    const patch = (changes: object) => bellhop.support('PATCH', `${KEYS}/${keyId}`, changes);
    const label = 'sent back as it was shown';
    expect(await patch({ label, expires_at })).toMatchObject({
      status: 200,
      body: { label, expires_at },
    });
    expect(await patch({ expires_at: '2020-01-02T00:00:00Z' })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field: '/expires_at' }] },
    });
    expect(await patch({ expires_at: null })).toMatchObject({ body: { expires_at: null } });
    expect(await status()).toBe(200);
  });

  test('that are revoked stay visible and never work again', async () => {
    const bellhop = shared();
    const { support } = bellhop;
    const { keyId, authorization } = await bellhop.newKey('production');
    expect((await overview(bellhop, authorization)).status).toBe(200);
    const revoked = await support('DELETE', `${KEYS}/${keyId}`);
    expect(revoked).toMatchObject({ status: 204, body: '' });
    expect((await overview(bellhop, authorization)).status).toBe(401);
    const show = async () => (await support('GET', `${KEYS}/${keyId}`)).body;
    const shown = await eventually(show, ({ last_used_on }) => last_used_on !== null);
    expect(shown).toMatchObject({ key_id: keyId, revoked_at: TIME });

    expect((await support('DELETE', `${KEYS}/${keyId}`)).status).toBe(204);
    expect(await show()).toEqual(shown);
    const endpoint = 'api/b2b/v3/search/hp/';
    const refused = [
      await support('PATCH', `${KEYS}/${keyId}`, { disabled: false }),
      await support('POST', `${KEYS}/${keyId}/rotation`, {}),
      await support('PUT', `${KEYS}/${keyId}/endpoints`, { endpoint }),
      await support('DELETE', `${KEYS}/${keyId}/endpoints?endpoint=${endpoint}`),
    ];
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'key_revoked' } });
    }
    const filter = `action=key.revoke&subject=${keyId}`;
    const audit = await support('GET', `/support/v1/production/audit?${filter}`);
    expect(audit.body.items).toHaveLength(1);
  });

  test('show how much of each limit is used, and reading it does not count', async () => {
    const bellhop = shared();
    const { keyId, authorization } = await bellhop.newKey('production');
    const usage = async () => {
      const { status, body } = await bellhop.support('GET', `${KEYS}/${keyId}/usage`);
      expect(status).toBe(200);
      expect(body.items).toHaveLength(43);
      expect(body.next_cursor).toBeNull();
      return (path: string) =>
        body.items.find((item: { endpoint: string }) => item.endpoint === `api/b2b/v3/${path}`);
    };
    expect((await usage())('overview/')).toEqual({
      endpoint: 'api/b2b/v3/overview/',
      is_limited: true,
      requests_number: 100,
      seconds_number: 86_400,
      used: 0,
      remaining: 100,
      resets_at: null,
    });
    expect((await usage())('hotel/order/booking/finish/status/')).toEqual({
      endpoint: 'api/b2b/v3/hotel/order/booking/finish/status/',
      is_limited: false,
      requests_number: 30,
      seconds_number: 60,
      used: 0,
      remaining: null,
      resets_at: null,
    });
    await overview(bellhop, authorization);
    await overview(bellhop, authorization);
    const first = (await usage())('overview/');
    expect(first).toMatchObject({ used: 2, remaining: 98, resets_at: TIME });
    expect((await usage())('overview/')).toMatchObject({ used: 2, remaining: 98 });
    // The limit belongs to the key and survives a rotation.
    await bellhop.support('POST', `${KEYS}/${keyId}/rotation`, {});
    expect((await usage())('overview/')).toMatchObject({ used: 2, remaining: 98 });
  });

  test('belong to one environment', async () => {
    const { support, newKey } = shared();
    const { keyId } = await newKey('sandbox');
    for (const unknown of [keyId, '0', 'x', '1234567890123456789012345678901234567890']) {
      const path = `${KEYS}/${unknown}`;
      const endpoint = 'api/b2b/v3/search/hp/';
      const refused = [
        await support('GET', path),
        await support('PATCH', path, { disabled: true }),
        await support('DELETE', path),
        await support('POST', `${path}/rotation`, {}),
        await support('GET', `${path}/endpoints`),
        await support('PUT', `${path}/endpoints`, { endpoint }),
        await support('DELETE', `${path}/endpoints?endpoint=${endpoint}`),
        await support('GET', `${path}/usage`),
      ];
      for (const reply of refused) {
        expect(reply).toMatchObject({ status: 404, body: { code: 'key_not_found' } });
      }
    }
  });
});

describe('a key is not created or changed with', () => {
  const bellhop = sharedBackOffice();

  test.each([
    [{ label: '' }, '/label'],
    [{ label: 7 }, '/label'],
    [{ expires_at: 'tomorrow' }, '/expires_at'],
    [{ expires_at: '2025-02-30T00:00:00Z' }, '/expires_at'],
    [{ expires_at: '2025-01-01T00:00:00' }, '/expires_at'],
    [{ expires_at: '2016-12-31T23:59:60Z' }, '/expires_at'],
    [{ expires_at: '9999-12-31T23:59:59-01:00' }, '/expires_at'],
    [{ expires_at: '2025-01-01T00:00:00Z' }, '/expires_at'],
    [{ allowed_ips: '127.0.0.1' }, '/allowed_ips'],
    [{ allowed_ips: ['127.0.0.1', 'localhost'] }, '/allowed_ips/1'],
    [{ allowed_ips: ['10.0.0.0/33'] }, '/allowed_ips/0'],
    [{ endpoints: ['api/b2b/v3/search/hp/', 'api/b2b/v3/nothing/'] }, '/endpoints/1'],
    [{ endpoints: ['search/hp/'] }, '/endpoints/0'],
    [{ endpoints: 'api/b2b/v3/search/hp/' }, '/endpoints'],
    [{ api_key: 'mine' }, '/api_key'],
  ])('%j', async (key, field) => {
    const { support, newKey } = bellhop();
    const { partnerId } = await newKey('production');
    const path = `/support/v1/production/partners/${partnerId}/keys`;
    const reply = await support('POST', path, key);
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(reply.body.errors[0].field).toBe(field);
    expect(reply.body.detail).toContain(field);
    expect((await support('GET', `${KEYS}?partner_id=${partnerId}`)).body.items).toHaveLength(1);
  });

  test('but not null, which counts as absent', async () => {
    const { support, newKey } = bellhop();
    const all = { label: null, expires_at: null, allowed_ips: null, endpoints: null };
    const { keyId } = await newKey('production', all);
    const { body } = await support('GET', `${KEYS}/${keyId}/endpoints`);
    expect(body.items).toHaveLength(43);
  });

  test('no change at all', async () => {
    const { support, newKey } = bellhop();
    const { keyId, partnerId } = await newKey('production');
    for (const path of [`${KEYS}/${keyId}`, `/support/v1/production/partners/${partnerId}`]) {
      expect(await support('PATCH', path, {})).toMatchObject({
        status: 422,
        body: { code: 'validation_failed' },
      });
    }
  });
});

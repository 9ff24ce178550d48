/** What support and the partner learn about refused calls beyond their codes. */
import { expect, test } from 'vitest';
import { basic, type TestBellhop, type TestKey } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';
import { importInto } from './imported-files.ts';
import { call, FORWARDED_PATH, OVERVIEW_PATH } from './wire.ts';

const ENDPOINT = FORWARDED_PATH.slice(1);
const WRONG = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const SUPPORT = '/support/v1/sandbox';

interface Refused {
  authorization?: string;
  path?: string;
  from?: string;
}

describeOnEachEngine('the verdict on a refused call', (_start, share) => {
  const bellhop = share({ BELLHOP_TRUSTED_PROXIES: '127.0.0.1' });
  let addresses = 0;
  const newAddress = () => `198.51.100.${++addresses}`;

  const change = async (method: string, path: string, body?: unknown) => {
    const reply = await bellhop().support(method, `${SUPPORT}/${path}`, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };

  /** Makes the call; its request id. */
  async function refused({ authorization, path = OVERVIEW_PATH, from = newAddress() }: Refused) {
    const headers = { 'x-forwarded-for': from };
    const reply = await call(bellhop().addresses.sandbox, { authorization, path, headers });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    return reply.headers['x-request-id'] as string;
  }

  async function verdictOn(requestId: string) {
    const [line] = await eventually(
      async () => (await change('GET', `calls?request_id=${requestId}`)).items,
      (items) => items.length === 1,
    );
    return line.verdict;
  }

  const verdictOf = async (asked: Refused) => verdictOn(await refused(asked));

  async function inPortal(key: TestKey, requestId: string) {
    const { get } = await signedInBrowser(bellhop() as TestBellhop, 'sandbox', key.partnerId);
    const { body } = await get(`refusals?request_id=${requestId}`);
    return body.items[0].verdict;
  }

  test('says which credentials came with it', async () => {
    expect(await verdictOf({})).toMatchObject({ code: 'no_credentials' });
    expect(await verdictOf({ authorization: 'Bearer x' })).toMatchObject({
      code: 'unreadable_credentials',
    });
    expect(await verdictOf({ authorization: basic('12', WRONG) })).toMatchObject({
      code: 'key_id_unknown',
      facts: { given_key_id: '12' },
    });
    // Whoever mistakes the API key for the id must not find it in a record.
    const swapped = await verdictOf({ authorization: basic(WRONG, '12') });
    expect(swapped).toMatchObject({ code: 'key_id_unknown', facts: {} });
    const production = await bellhop().newKey('production');
    const { keyId, authorization } = production;
    const elsewhere = await verdictOf({ authorization });
    expect(elsewhere).toMatchObject({
      code: 'key_of_other_environment',
      facts: { given_key_id: keyId, environment: 'production' },
    });
    expect(elsewhere.sentence).toContain(`Key ${keyId} exists in production`);
  });

  test('tells a replaced API key from an unknown one, and when and by whom it was replaced', async () => {
    const key = await bellhop().newKey('sandbox');
    const wrong = await verdictOf({ authorization: basic(key.keyId, WRONG) });
    expect(wrong).toMatchObject({
      code: 'api_key_unknown',
      facts: { api_key: expect.stringMatching(/^[0-9a-f]{12}$/) },
    });
    expect(JSON.stringify(wrong)).not.toContain(WRONG);

    await change('POST', `keys/${key.keyId}/rotation`, { overlap_seconds: 0 });
    const at = await refused(key);
    const verdict = await verdictOn(at);
    const { replaced_at, replaced_by } = verdict.facts;
    expect(verdict).toMatchObject({
      code: 'api_key_replaced',
      facts: { overlap_ended_at: replaced_at },
    });
    const [entry] = (await change('GET', `audit?subject=${key.keyId}&action=key.rotate`)).items;
    expect(entry.at).toBe(replaced_at);
    expect(entry.actor.startsWith(replaced_by)).toBe(true);
    expect(verdict.sentence).toContain(`by ${replaced_by} and stopped working at once`);
    // The partner learns the same without the name.
    const own = await inPortal(key, at);
    expect(own.code).toBe('api_key_replaced');
    expect(own.sentence).toContain('by API support');
    expect(JSON.stringify(own)).not.toContain(replaced_by);
  });

  test('knows an API key whose overlap was ended by a later rotation', async () => {
    const key = await bellhop().newKey('sandbox');
    const second = await change('POST', `keys/${key.keyId}/rotation`, { overlap_seconds: 3_600 });
    const ended = { overlap_seconds: 3_600, end_overlaps: true };
    await change('POST', `keys/${key.keyId}/rotation`, ended);
    const { code, facts, sentence } = await verdictOf(key);
    expect(code).toBe('api_key_replaced');
    expect(Date.parse(facts.overlap_ended_at)).toBeGreaterThan(Date.parse(facts.replaced_at));
    expect(sentence).toContain('its overlap ended on');
    // The one in between still works.
    const authorization = basic(key.keyId, second.api_key);
    const headers = { 'x-forwarded-for': newAddress() };
    const reply = await call(bellhop().addresses.sandbox, { authorization, headers });
    expect(reply.status).toBe(200);
  });

  test('says that the API key was right, and the key is revoked or expired', async () => {
    const revoked = await bellhop().newKey('sandbox');
    await change('DELETE', `keys/${revoked.keyId}`);
    expect(await verdictOf(revoked)).toMatchObject({
      code: 'key_revoked',
      facts: { since: expect.any(String), by: expect.any(String) },
    });
    const expired = await bellhop().newKey('sandbox');
    const since = '2026-01-01T00:00:00.000Z';
    const line = { kind: 'key', key_id: expired.keyId, expires_at: since };
    await importInto(bellhop(), JSON.stringify(line), { environment: 'sandbox' });
    const requestId = await refused(expired);
    expect(await verdictOn(requestId)).toMatchObject({ code: 'key_expired', facts: { since } });
    await change('PATCH', `keys/${expired.keyId}`, { expires_at: null });
    expect(await verdictOn(requestId)).toMatchObject({ code: 'api_key_right' });
  });

  test('says since when and by whom the key, its partner or the endpoint was switched off', async () => {
    const key = await bellhop().newKey('sandbox');
    const { keyId, partnerId } = key;
    const keyPath = `keys/${keyId}`;
    const offs = [
      {
        code: 'key_disabled',
        off: () => change('PATCH', keyPath, { disabled: true }),
        on: () => change('PATCH', keyPath, { disabled: false }),
      },
      {
        code: 'partner_suspended',
        off: () => change('PATCH', `partners/${partnerId}`, { suspended: true }),
        on: () => change('PATCH', `partners/${partnerId}`, { suspended: false }),
      },
      {
        code: 'endpoint_switched_off',
        off: () => change('PUT', `${keyPath}/endpoints`, { endpoint: ENDPOINT, is_active: false }),
        on: () => change('PUT', `${keyPath}/endpoints`, { endpoint: ENDPOINT, is_active: true }),
      },
      {
        code: 'endpoint_withdrawn',
        off: () => change('DELETE', `${keyPath}/endpoints?endpoint=${ENDPOINT}`),
        on: () => change('PUT', `${keyPath}/endpoints`, { endpoint: ENDPOINT }),
      },
    ];
    for (const { code, off, on } of offs) {
      await off();
      const requestId = await refused({ ...key, path: FORWARDED_PATH });
      const facts = { since: expect.any(String), by: expect.any(String) };
      expect(await verdictOn(requestId)).toMatchObject({
        code,
        facts: { ...facts, is_over: false },
      });
      await on();
      expect(await verdictOn(requestId)).toMatchObject({
        code,
        facts: { ...facts, is_over: true },
      });
      const own = await inPortal(key, requestId);
      expect(own).toMatchObject({ code, facts: { by: 'API support' } });
    }
  });

  test('knows endpoints that the key never had, and paths that are none', async () => {
    const key = await bellhop().newKey('sandbox', { endpoints: [] });
    expect(await verdictOf({ ...key, path: FORWARDED_PATH })).toMatchObject({
      code: 'endpoint_never_granted',
      facts: { is_over: false },
    });
    expect(await verdictOf({ ...key, path: '/wp-login.php' })).toMatchObject({
      code: 'path_unknown',
    });
  });

  test('says what the allow-list has, and whether it has the address by now', async () => {
    const key = await bellhop().newKey('sandbox');
    await change('PATCH', `keys/${key.keyId}`, { allowed_ips: ['203.0.113.0/24'] });
    const from = newAddress();
    const requestId = await refused({ ...key, from });
    const facts = { address: from, addresses_allowed: 1 };
    const before = await verdictOn(requestId);
    expect(before).toMatchObject({
      code: 'address_not_allowed',
      facts: { ...facts, is_over: false },
    });
    expect(before.sentence).toContain(`one entry, and ${from} is not in it`);
    await change('PATCH', `keys/${key.keyId}`, { allowed_ips: ['203.0.113.0/24', from] });
    expect((await verdictOn(requestId)).facts).toMatchObject({
      addresses_allowed: 2,
      is_over: true,
    });
  });

  test('says how many calls over the limit came from other addresses', async () => {
    const key = await bellhop().newKey('sandbox');
    const limit = { is_limited: true, requests_number: 1, seconds_number: 86_400 };
    await change('PUT', `keys/${key.keyId}/endpoints`, {
      endpoint: OVERVIEW_PATH.slice(1),
      ...limit,
    });
    const [here, there] = [newAddress(), newAddress()];
    await call(bellhop().addresses.sandbox, { ...key, headers: { 'x-forwarded-for': here } });
    const alone = await verdictOf({ ...key, from: here });
    expect(alone).toMatchObject({ code: 'limit_used_up', facts: { share_of_other_addresses: 0 } });
    for (let n = 0; n < 3; n++) await refused({ ...key, from: there });
    const requestId = await refused({ ...key, from: here });
    const { facts, sentence } = await eventually(
      () => verdictOn(requestId),
      (verdict) => verdict.facts.share_of_other_addresses === 0.6,
    );
    expect(facts).toEqual({ share_of_other_addresses: 0.6 });
    expect(sentence).toContain('60 % of the calls');
  });
});

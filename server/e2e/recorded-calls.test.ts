/** Refused and failed calls, from the partner's request to what support and the command line read. */
import { describe, expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, basic, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';
import { asAsked, sharedForwarding } from './forwarding.ts';
import { OVERVIEW } from './granted-keys.ts';
import { call, FORWARDED_PATH, head, openWire, type Reply } from './wire.ts';

const INFO = FORWARDED_PATH.slice(1);
const CALLS = '/support/v1/sandbox/calls';

type Reader = Pick<TestBellhop, 'support'>;

async function callsAt({ support }: Reader, path: string) {
  const { status, body } = await support('GET', path);
  expect(status).toBe(200);
  return body.items;
}

const idOf = ({ headers }: Reply) => headers['x-request-id'] as string;

/** They are written within a second or two. */
function found(bellhop: Reader, reply: Reply) {
  return foundAll(bellhop, `${CALLS}?request_id=${idOf(reply)}`, 1).then(([one]) => one);
}

function foundAll(bellhop: Reader, path: string, count: number) {
  return eventually(
    () => callsAt(bellhop, path),
    (items) => items.length >= count,
  );
}

describe('a call', () => {
  const { bellhop, begin, hangUp } = sharedForwarding();
  const keyCalls = (keyId: string) => `/support/v1/sandbox/keys/${keyId}/calls`;

  test('over the limit shows the limit and how it stood', async () => {
    const { key, sandbox } = await begin();
    const endpoints = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
    const limit = { is_limited: true, requests_number: 1, seconds_number: 60 };
    await bellhop.support('PUT', endpoints, { endpoint: OVERVIEW, ...limit });
    expect((await call(sandbox, key)).status).toBe(200);
    const headers = bellhop.fromNewAddress();
    const reply = await call(sandbox, { ...key, headers, method: 'POST' });
    expect(reply.status).toBe(429);
    const line = await found(bellhop, reply);
    expect(line).toMatchObject({
      request_id: idOf(reply),
      key_id: key.keyId,
      partner_id: key.partnerId,
      endpoint: OVERVIEW,
      path: null,
      method: 'POST',
      code: 'endpoint_exceeded_limit',
      status: 429,
      meaning: 'The limit of this key and endpoint is used up.',
      advice: 'Wait for Retry-After seconds.',
      limit: { requests_number: 1, seconds_number: 60, remaining: 0 },
      address: headers['x-forwarded-for'],
      upstream_status: null,
      upstream_ms: null,
      sampled_from: 1,
    });
    // The header is in whole seconds.
    const reset = Date.parse(`${reply.headers['x-ratelimit-reset']}Z`);
    expect(Math.abs(Date.parse(line.limit.resets_at) - reset)).toBeLessThanOrEqual(1_000);
    // The call that succeeded is not there.
    expect(await callsAt(bellhop, keyCalls(key.keyId))).toEqual([line]);
  });

  test('with a wrong API key is found under the key whose id it gave, and keeps no secret', async () => {
    const { key, sandbox } = await begin();
    const headers = bellhop.fromNewAddress();
    const wrong = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
    const authorization = basic(key.keyId, wrong);
    const reply = await call(sandbox, { authorization, headers, path: FORWARDED_PATH });
    expect(reply.status).toBe(401);
    const line = await found(bellhop, reply);
    expect(line).toMatchObject({
      key_id: key.keyId,
      partner_id: key.partnerId,
      endpoint: INFO,
      code: 'incorrect_credentials',
      limit: null,
    });
    expect(JSON.stringify(line)).not.toContain(wrong);
    // The reply tells nobody that there is such a key.
    expect(reply.text).not.toContain(key.keyId);
    expect(await callsAt(bellhop, keyCalls(key.keyId))).toEqual([line]);
  });

  test('of a stranger has no key, whatever id it gave', async () => {
    const { sandbox } = await begin();
    const headers = bellhop.fromNewAddress();
    const reply = await call(sandbox, { authorization: basic('999', 'x'), headers });
    expect(reply.status).toBe(401);
    expect(await found(bellhop, reply)).toMatchObject({ key_id: null, partner_id: null });
    const none = await call(sandbox, { headers, path: '/wp-login.php?token=secret' });
    const line = await found(bellhop, none);
    expect(line).toMatchObject({ code: 'no_auth_header', endpoint: null, path: '/wp-login.php' });
    const link = await call(sandbox, { headers, path: `/enter/sandbox/${'x'.repeat(43)}` });
    expect(await found(bellhop, link)).toMatchObject({ path: '/enter/sandbox/…' });
    const byAddress = `${CALLS}?address=${headers['x-forwarded-for']}`;
    expect(await callsAt(bellhop, byAddress)).toHaveLength(3);
  });

  test('that is not HTTP is recorded as well', async () => {
    const { sandbox } = await begin();
    const wire = await openWire(sandbox);
    wire.write('nonsense\r\n\r\n');
    const reply = await wire.next();
    expect(reply.status).toBe(400);
    expect(await found(bellhop, reply)).toMatchObject({ code: 'malformed_request', method: null });
  });

  test('that the upstream failed shows what it answered', async () => {
    const { key, sandbox } = await begin(asAsked);
    const asked = (how: string) => call(sandbox, { ...key, path: `${FORWARDED_PATH}?${how}` });
    // An answer that the partner asked for.
    expect((await asked('bad')).status).toBe(400);
    const failing = await asked('failing');
    expect(await found(bellhop, failing)).toMatchObject({
      code: 'upstream_error',
      status: 503,
      upstream_status: 503,
      upstream_ms: expect.any(Number),
      limit: { requests_number: 30, seconds_number: 60, remaining: 28 },
    });
    expect(await found(bellhop, await asked('closes'))).toMatchObject({
      code: 'upstream_unreachable',
      status: 502,
      upstream_status: null,
      upstream_ms: expect.any(Number),
    });
    await expect(asked('breaks-off')).rejects.toThrow();
    await hangUp(key);
    const all = await foundAll(bellhop, keyCalls(key.keyId), 4);
    expect(all.map(({ code, status }: { code: string; status: number }) => [code, status])).toEqual(
      [
        ['caller_gone', 499],
        ['upstream_broke_off', 200],
        ['upstream_unreachable', 502],
        ['upstream_error', 503],
      ],
    );
    const filtered = `${CALLS}?partner_id=${key.partnerId}&code=upstream_error&endpoint=${INFO}`;
    expect(await callsAt(bellhop, filtered)).toMatchObject([{ request_id: idOf(failing) }]);
  });

  test('is found by the search box, and can be downloaded', async () => {
    const { key, sandbox } = await begin();
    const reply = await call(sandbox, { ...key, method: 'DELETE' });
    await found(bellhop, reply);
    const search = (q: string) => bellhop.support('GET', `/support/v1/sandbox/search?q=${q}`);
    const expected = [
      {
        kind: 'call',
        id: idOf(reply),
        title: idOf(reply),
        detail: `Call, 405 unexpected_method, ${OVERVIEW}, key ${key.keyId} of Test partner`,
      },
    ];
    expect((await search(idOf(reply).toUpperCase())).body.items).toEqual(expected);
    expect((await search('0'.repeat(32))).body.items).toEqual([]);
    const csv = await fetch(bellhop.addresses.backOffice + keyCalls(key.keyId), {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    });
    const [columns = '', row = ''] = (await csv.text()).split('\r\n');
    expect(columns).toMatch(/^at,request_id,key_id,/);
    expect(row).toContain(idOf(reply));
  });

  test('of an unknown key is asked for in vain', async () => {
    const { status, body } = await bellhop.support('GET', keyCalls('999'));
    expect([status, body.code]).toEqual([404, 'key_not_found']);
    const since = `${CALLS}?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z`;
    expect((await bellhop.support('GET', since)).status).toBe(422);
    expect((await bellhop.support('GET', `${CALLS}?code=no_such_code`)).status).toBe(422);
  });

  test('of a flood is a line of its own or counted on one', async () => {
    const { key, sandbox } = await begin();
    const wire = await openWire(sandbox);
    const calls = 3_000;
    const asked = head(`DELETE /${OVERVIEW}`, { Authorization: key.authorization });
    for (let i = 0; i < calls; i += 10) {
      wire.write(asked.repeat(10));
      for (let reply = 0; reply < 10; reply++) expect((await wire.next()).status).toBe(405);
    }
    wire.socket.destroy();
    const lines = await eventually(
      async () => {
        const { body } = await bellhop.support('GET', `${keyCalls(key.keyId)}?limit=200`);
        return body.items as { sampled_from: number }[];
      },
      (items) => items.reduce((sum, { sampled_from }) => sum + sampled_from, 0) === calls,
      60_000,
    );
    expect(lines.length).toBeLessThan(130);
  });
});

const newFolder = async () => ({
  BELLHOP_ENVIRONMENTS: 'sandbox',
  BELLHOP_DATA_DIR: await temporaryFolder(),
});

test('a stop loses none of them', async () => {
  const settings = await newFolder();
  const bellhop = await startBellhop(settings);
  const key = await bellhop.newKey('sandbox');
  const reply = await call(bellhop.addresses.sandbox, { ...key, method: 'DELETE' });
  await bellhop.stop();
  const next = await startBellhop(settings);
  expect(await callsAt(next, `${CALLS}?request_id=${idOf(reply)}`)).toHaveLength(1);
});

test('nothing is recorded if they are not to be kept', async () => {
  const settings = { ...(await newFolder()), BELLHOP_SANDBOX_CALLS_RETENTION: '0d' };
  const bellhop = await startBellhop(settings);
  const key = await bellhop.newKey('sandbox');
  const reply = await call(bellhop.addresses.sandbox, { ...key, method: 'DELETE' });
  expect(reply.status).toBe(405);
  await bellhop.stop();
  const next = await startBellhop(settings);
  expect(await callsAt(next, CALLS)).toEqual([]);
});

describeWithPostgres('on PostgreSQL', (_empty, databaseWithTables) => {
  test('each node finds the calls of the other', async () => {
    const settings = {
      ...(await newFolder()),
      BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const [one, other] = [await startBellhop(settings), await startBellhop(settings)];
    const key = await one.newKey('sandbox');
    const reply = await call(one.addresses.sandbox, { ...key, method: 'DELETE' });
    expect(await found(other, reply)).toMatchObject({ code: 'unexpected_method' });
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { ADMIN_TOKEN, basic, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { type OldSystem, oldApiKey, oldKeyId, oldSystemLines } from '../testing/old-system.ts';
import { overview } from './called-overview.ts';

vi.setConfig({ testTimeout: 60_000 });

const BASE = '/support/v1/production';
const LOOPBACK = '127.0.0.0/8';
const SETTINGS = {
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: LOOPBACK,
  BELLHOP_SANDBOX_RECEIVER_ALLOW: LOOPBACK,
};
const SEARCH = 'api/b2b/v3/search/hp/';

function text(...lines: (object | string)[]): string {
  return lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
}

async function post(
  { addresses }: TestBellhop,
  body: string | Uint8Array,
  { query = '', environment = 'production', token = ADMIN_TOKEN, headers = {} } = {},
) {
  const reply = await fetch(
    `${addresses.backOffice}/support/v1/${environment}/import${query && `?${query}`}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-ndjson',
        ...headers,
      },
      body: body as string,
    },
  );
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any reply.
  return { status: reply.status, body: (await reply.json()) as any };
}

async function readExport({ addresses }: TestBellhop, query = '', environment = 'production') {
  const reply = await fetch(
    `${addresses.backOffice}/support/v1/${environment}/export${query && `?${query}`}`,
    { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
  );
  const body = await reply.text();
  const records = body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { status: reply.status, headers: reply.headers, body, records };
}

const auditOf = async ({ support }: TestBellhop, action: string) =>
  (await support('GET', `${BASE}/audit?action=${action}`)).body.items;

let systems = 0;
/** A small old system whose ids no other test uses. */
function anotherSystem(more: Partial<OldSystem> = {}): OldSystem {
  return { keys: 40, raisedEvery: 8, ...more, from: ++systems * 1_000_000 };
}
const fileOf = (system: OldSystem) => [...oldSystemLines(system)].join('');

/** A partner with one key, whose ids no other test uses. */
function oneKey() {
  const n = ++systems;
  const keyId = String(880_000_000 + n);
  const apiKey = randomUUID();
  const partner = { kind: 'partner', ref: `one ${n}`, name: 'One' };
  const key = { kind: 'key', key_id: keyId, partner_ref: partner.ref, api_key: apiKey };
  return { partner, key, keyId, apiKey, authorization: basic(keyId, apiKey) };
}

const newMasterKey = () => randomBytes(32).toString('base64');
const created = (count: number) => ({ created: count, changed: 0, unchanged: 0, skipped: 0 });
const unchanged = (count: number) => ({ created: 0, changed: 0, unchanged: count, skipped: 0 });

describeOnEachEngine('moving in', (start, share) => {
  const shared = share(SETTINGS);

  test('brings an old system over whole; partners go on with their old credentials', async () => {
    const bellhop = shared();
    const system = anotherSystem();
    const file = fileOf(system);
    const counts = {
      lines: 55,
      partners: created(8),
      keys: created(40),
      grants: created(5),
      midoffices: created(2),
    };
    const trial = await post(bellhop, file, { query: 'dry_run' });
    expect(trial).toMatchObject({ status: 200, body: { dry_run: true, ...counts } });
    const first = basic(oldKeyId(system, 0), oldApiKey(0));
    expect((await overview(bellhop, first)).status).toBe(401);
    expect(await post(bellhop, file)).toMatchObject({
      status: 200,
      body: { dry_run: false, ...counts, skipped_lines: [] },
    });
    for (const n of [0, 1, 39]) {
      const reply = await overview(bellhop, basic(oldKeyId(system, n), oldApiKey(n)));
      expect([n, reply.status]).toEqual([n, 200]);
      const { data } = reply.body as { data: { endpoint: string }[] };
      expect(data).toHaveLength(43);
      expect(data.find(({ endpoint }) => endpoint === SEARCH)).toMatchObject({
        requests_number: n === 0 ? 20 : 10,
      });
    }
    expect((await overview(bellhop, first, 'sandbox')).status).toBe(401);

    expect((await post(bellhop, file)).body).toMatchObject({
      partners: unchanged(8),
      keys: unchanged(40),
      grants: unchanged(5),
      midoffices: unchanged(2),
    });
    const entries = (await auditOf(bellhop, 'records.import')).filter(
      ({ after }: { after: { keys: object } }) => JSON.stringify(after.keys).includes('40'),
    );
    expect(entries).toMatchObject([
      { subject: 'records', after: { lines: 55, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(oldApiKey(0));
  });

  test('an order event reaches the imported midoffice of the imported partner', async () => {
    const bellhop = shared();
    const { partner, key } = oneKey();
    const midoffice = {
      kind: 'midoffice',
      ref: `${partner.ref}, hook`,
      url: 'http://127.0.0.1:9/',
    };
    const file = text(
      { ...partner, midoffice_ref: midoffice.ref },
      { ...midoffice, signing_key_ref: key.key_id, body_form: 'flat', paused: true },
      key,
    );
    expect((await post(bellhop, file)).status).toBe(200);
    const { records } = await readExport(bellhop);
    const { id } = records.find(({ ref }) => ref === partner.ref);
    const accepted = await bellhop.support('POST', '/orders/v1/production/events', {
      event_id: partner.ref,
      type: 'created',
      partner_id: id,
      partner_order_id: '1',
    });
    expect(accepted.body.results).toMatchObject([{ outcome: 'queued' }]);
    const resumed = text({ kind: 'midoffice', ref: midoffice.ref, paused: false });
    expect((await post(bellhop, resumed)).body.midoffices).toMatchObject({ changed: 1 });
    const delivery = `${BASE}/deliveries/${accepted.body.results[0].delivery_id}`;
    await vi.waitFor(
      async () => {
        const { attempts } = (await bellhop.support('GET', delivery)).body;
        expect(attempts).toMatchObject([{ body_form: 'flat', key_id: key.key_id }]);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  test('an export imported where it came from changes nothing; elsewhere it makes the same', async () => {
    const here = await start(SETTINGS);
    const elsewhere = { environment: 'sandbox' };
    const system = anotherSystem();
    expect((await post(here, fileOf(system))).status).toBe(200);
    const rotated = oldKeyId(system, 3);
    const overlap = await here.support('POST', `${BASE}/keys/${rotated}/rotation`, {});
    await here.support('DELETE', `${BASE}/keys/${oldKeyId(system, 4)}`);
    await here.support(
      'DELETE',
      `${BASE}/keys/${oldKeyId(system, 5)}/endpoints?endpoint=${SEARCH}`,
    );

    const plain = await readExport(here);
    expect(plain.headers.get('content-type')).toBe('application/x-ndjson');
    expect(plain.headers.get('content-disposition')).toMatch(
      /^attachment; filename="bellhop-production-\d{4}-\d\d-\d\d\.ndjson"$/,
    );
    expect(plain.body).not.toContain('old-');
    expect(plain.records[0]).toMatchObject({
      kind: 'bellhop-export',
      version: 1,
      environment: 'production',
      api_keys: false,
    });
    expect(await auditOf(here, 'records.export')).toEqual([]);
    const full = await readExport(here, 'api_keys=true');
    expect(await auditOf(here, 'records.export')).toMatchObject([{ after: { api_keys: true } }]);

    for (const { body } of [plain, full]) {
      const again = await post(here, body);
      expect(again.body).toMatchObject({ partners: unchanged(8), keys: unchanged(40) });
    }
    expect((await post(here, plain.body, elsewhere)).body.errors).toMatchObject([
      { line: 1, field: '/environment' },
    ]);
    const withoutHeader = (file: string) => file.slice(file.indexOf('\n') + 1);
    const withoutKeys = await post(here, withoutHeader(plain.body), elsewhere);
    expect(withoutKeys.body).toMatchObject({
      partners: created(8),
      keys: { created: 0, skipped: 40 },
      midoffices: { created: 0, skipped: 2 },
    });
    const reasons = withoutKeys.body.skipped_lines.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toContain('The line has no api_key, and there is no such key yet.');
    expect(await post(here, withoutHeader(full.body), elsewhere)).toMatchObject({
      status: 200,
      body: { partners: { changed: 2, unchanged: 6 }, keys: created(40), midoffices: created(2) },
    });
    const copy = await readExport(here, 'api_keys=true', 'sandbox');
    expect(withoutHeader(copy.body)).toBe(withoutHeader(full.body));
    for (const [n, apiKey, status] of [
      [0, oldApiKey(0), 200],
      [3, oldApiKey(3), 200],
      [3, overlap.body.api_key, 200],
      [4, oldApiKey(4), 401],
    ] as const) {
      const reply = await overview(here, basic(oldKeyId(system, n), apiKey), 'sandbox');
      expect([n, reply.status]).toEqual([n, status]);
    }
  });

  test('the file changes what it names, and never an API key, an owner or a certification', async () => {
    const bellhop = shared();
    const { partner, key, keyId, authorization } = oneKey();
    const certified = { certified_at: '2020-01-01T00:00:00Z', certification_reference: 'C1' };
    await post(
      bellhop,
      text({ ...partner, ...certified }, { ...key, label: 'a', endpoints: [SEARCH] }),
    );
    expect((await overview(bellhop, authorization)).status).toBe(200);

    const change = text(
      { kind: 'partner', ref: partner.ref, suspended: true, certified_at: null },
      { kind: 'key', key_id: keyId, disabled: true },
      { kind: 'grant', key_ref: keyId, endpoint: `/${SEARCH}`, requests_number: 77 },
    );
    expect((await post(bellhop, change)).body).toMatchObject({
      partners: { changed: 1 },
      keys: { changed: 1 },
      grants: { changed: 1 },
    });
    expect((await overview(bellhop, authorization)).status).toBe(403);
    const { body: shown } = await bellhop.support('GET', `${BASE}/keys/${keyId}`);
    expect(shown).toMatchObject({ label: 'a', disabled: true });
    const endpoints = await bellhop.support('GET', `${BASE}/keys/${keyId}/endpoints`);
    expect(endpoints.body.items).toMatchObject([
      { endpoint: SEARCH, requests_number: 77 },
      { endpoint: 'api/b2b/v3/overview/' },
    ]);
    const owner = await bellhop.support('GET', `${BASE}/partners/${shown.partner_id}`);
    expect(owner.body).toMatchObject({ suspended: true, certification_reference: 'C1' });

    const stranger = oneKey();
    for (const [line, field] of [
      [{ ...key, api_key: randomUUID() }, '/api_key'],
      [{ ...key, partner_ref: stranger.partner.ref }, '/partner_ref'],
    ] as const) {
      const reply = await post(bellhop, text(stranger.partner, line));
      expect(reply.body).toMatchObject({ code: 'import_refused', errors: [{ line: 2, field }] });
    }
    await bellhop.support('DELETE', `${BASE}/keys/${keyId}`);
    const revoked = await post(bellhop, text({ ...key, label: 'b' }));
    expect(revoked.body).toMatchObject({ keys: { skipped: 1 }, skipped_lines: [{ line: 1 }] });
  });

  test('raised limits need a certified partner in production, not in the sandbox', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const raise = { kind: 'grant', key_ref: keyId, endpoint: SEARCH, requests_number: 500 };
    const file = text(partner, key, raise);
    expect((await post(bellhop, file)).body).toMatchObject({
      code: 'import_refused',
      errors: [{ line: 3, field: '/requests_number', detail: expect.stringMatching(/certified/) }],
    });
    expect((await post(bellhop, file, { environment: 'sandbox' })).status).toBe(200);
    const certified = { ...partner, certified_at: '2020-01-01T00:00:00Z' };
    expect((await post(bellhop, text(certified, key, raise))).status).toBe(200);
  });

  test('names every line with an error, and imports nothing', async () => {
    const bellhop = shared();
    const { partner, key, keyId, authorization } = oneKey();
    const file = text(
      { kind: 'bellhop-export', version: 2, environment: 'sandbox' },
      partner,
      key,
      '{"kind":"key"',
      '[]',
      { kind: 'token' },
      { ...key, key_id: 'seven', lable: 'x' },
      { kind: 'partner', ref: partner.ref, name: 'Twice' },
      { kind: 'key', key_id: '990', partner_ref: 'nobody', api_key: randomUUID() },
      { kind: 'grant', key_ref: 'nothing', endpoint: SEARCH },
      { kind: 'grant', key_ref: keyId, endpoint: 'api/b2b/v3/hotel/' },
      { kind: 'grant', key_ref: keyId, endpoint: 'api/b2b/v3/overview/', is_active: false },
      { kind: 'midoffice', ref: 'm1', url: 'http://10.0.0.1/', signing_key_ref: keyId },
      { kind: 'midoffice', ref: 'm2', url: 'http://127.0.0.1:9/', signing_key_ref: 'nothing' },
      { kind: 'partner', ref: 'p2' },
      { kind: 'partner', ref: 'p3', name: 'Three', midoffice_ref: 'nothing' },
      { kind: 'partner', ref: 'p4', name: 'Four', id: 'par_1' },
      `{"kind":"partner","ref":"${'x'.repeat(140_000)}"}`,
      { kind: 'partner', ref: 'p5', name: 'nul\u0000' },
    );
    for (const query of ['dry_run=true', 'dry_run=false']) {
      const { status, body } = await post(bellhop, file, { query });
      expect([status, body.code]).toEqual([422, 'import_refused']);
      expect(
        body.errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`),
      ).toEqual([
        '1 /version',
        '4 ',
        '5 ',
        '6 /kind',
        '7 /lable',
        '7 /key_id',
        '8 /ref',
        '9 /partner_ref',
        '10 /key_ref',
        '11 /endpoint',
        '12 /is_active',
        '13 /url',
        '14 /signing_key_ref',
        '15 /name',
        '16 /midoffice_ref',
        '17 /id',
        '18 ',
        '19 /name',
      ]);
    }
    expect((await overview(bellhop, authorization)).status).toBe(401);
    const many = text(...Array.from({ length: 500 }, () => 'x'));
    const reply = await post(bellhop, many);
    expect(reply.body.errors).toHaveLength(100);
    expect(reply.body.detail).toMatch(/^There are 500 errors, so nothing was imported\. Line 1: /);
  });

  test('is for admins, and takes nothing but NDJSON', async () => {
    const bellhop = shared();
    const { partner, key } = oneKey();
    const file = text(partner, key);
    const { body: support } = await bellhop.support('POST', '/support/v1/tokens', {
      ...{ name: 'Maya', role: 'support' },
    });
    expect((await post(bellhop, file, { token: support.token })).status).toBe(403);
    const json = { headers: { 'content-type': 'application/json' } };
    expect(await post(bellhop, file, json)).toMatchObject({
      status: 415,
      body: { detail: expect.stringMatching(/application\/x-ndjson/) },
    });
    const gzip = { headers: { 'content-encoding': 'gzip' } };
    expect((await post(bellhop, gzipSync(file), gzip)).status).toBe(415);
    expect((await post(bellhop, file, { query: 'dry_run=perhaps' })).status).toBe(422);
    const bom = Buffer.concat([
      Buffer.from('\ufeff'),
      Buffer.from(file.replaceAll('\n', '\r\n\r\n')),
    ]);
    expect((await post(bellhop, bom)).body).toMatchObject({ lines: 2, keys: created(1) });
    expect((await post(bellhop, Buffer.from([0xff, 0x0a]))).body.errors).toMatchObject([
      { line: 1, detail: 'is not UTF-8' },
    ]);
  });

  test('two at once: one is refused, or both find the same; a caller that hangs up leaves nothing', async () => {
    const bellhop = shared();
    const system = anotherSystem({ keys: 200 });
    const file = fileOf(system);
    const call = request(`${bellhop.addresses.backOffice}${BASE}/import`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/x-ndjson',
        'content-length': file.length + 1,
      },
    });
    call.on('error', () => {});
    call.write(file);
    await vi.waitFor(async () => {
      expect((await post(bellhop, '')).body.code).toBe('import_running');
    });
    call.destroy();
    await vi.waitFor(async () => expect((await post(bellhop, '')).status).toBe(200));
    expect((await overview(bellhop, basic(oldKeyId(system, 0), oldApiKey(0)))).status).toBe(401);
    const replies = await Promise.all([post(bellhop, file), post(bellhop, file)]);
    expect(replies.map(({ status }) => status)).toContain(200);
    expect((await post(bellhop, file)).body.keys).toEqual(unchanged(200));
  });
});

test('a repeated import changes nothing while the master key is being rotated', async () => {
  const [before, after] = [newMasterKey(), newMasterKey()];
  const settings = { ...SETTINGS, BELLHOP_DATA_DIR: await temporaryFolder() };
  const file = fileOf(anotherSystem());
  const first = await startBellhop({ ...settings, BELLHOP_MASTER_KEY: before });
  expect((await post(first, file)).body.keys).toEqual(created(40));
  await first.stop();

  const rotating = { BELLHOP_MASTER_KEY: after, BELLHOP_PREVIOUS_MASTER_KEYS: before };
  const second = await startBellhop({ ...settings, ...rotating });
  expect((await post(second, file)).body.keys).toEqual(unchanged(40));
});

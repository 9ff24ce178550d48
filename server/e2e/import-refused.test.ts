import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { ADMIN_TOKEN, basic } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { oldApiKey, oldKeyId } from '../testing/old-system.ts';
import { overview } from './called-overview.ts';
import {
  ALLOW_LOOPBACK,
  anotherSystem,
  auditOf,
  BASE,
  created,
  fileOf,
  importInto,
  linesOf,
  oneKey,
  SEARCH,
  unchanged,
} from './imported-files.ts';

describeOnEachEngine('imports that are refused', (_start, share) => {
  const shared = share(ALLOW_LOOPBACK);

  test('raised limits need a certified partner and an approval in production, not in the sandbox', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const raise = { kind: 'grant', key_ref: keyId, endpoint: SEARCH, requests_number: 500 };
    const file = linesOf(partner, key, raise);
    const notCertified = { line: 3, field: '/requests_number' };
    const notApproved = { line: 3, field: '/approval_reference' };
    expect((await importInto(bellhop, file)).body).toMatchObject({
      code: 'import_refused',
      errors: [notCertified, notApproved],
    });
    const query = 'approval_reference=SALES-7';
    expect((await importInto(bellhop, file, { query })).body.errors).toMatchObject([notCertified]);
    expect((await importInto(bellhop, file, { environment: 'sandbox' })).status).toBe(200);
    const certified = { ...partner, certified_at: '2020-01-01T00:00:00Z' };
    const unapproved = await importInto(bellhop, linesOf(certified, key, raise));
    expect(unapproved.body.errors).toMatchObject([notApproved]);

    const approved = { ...raise, approval_reference: 'SALES-8' };
    expect((await importInto(bellhop, linesOf(certified, key, approved))).status).toBe(200);
    // The same limit again is no raise, and neither is a lower one.
    expect((await importInto(bellhop, linesOf(certified, key, raise))).status).toBe(200);
    const lower = linesOf({ ...raise, requests_number: 400 });
    expect((await importInto(bellhop, lower)).body.grants).toMatchObject({ changed: 1 });
    // Above what the key has now, although it once had as much.
    const again = await importInto(bellhop, linesOf(raise));
    expect(again.body.errors).toMatchObject([{ line: 1, field: '/approval_reference' }]);
    expect((await importInto(bellhop, linesOf(raise), { query })).status).toBe(200);
    const audited = await auditOf(bellhop, 'records.import');
    expect(audited[0].after).toMatchObject({ raises: 1, approval_references: ['SALES-7'] });
    const withOwn = audited.map(({ after }: { after: object }) => after);
    expect(withOwn).toContainEqual(
      expect.objectContaining({ raises: 1, approval_references: ['SALES-8'] }),
    );
    expect((await importInto(bellhop, file, { query: 'approval_reference=' })).status).toBe(422);

    // A key that is known already needs no line for its partner to be certified by the same file.
    const known = oneKey();
    await importInto(bellhop, linesOf(known.partner, known.key));
    const its = { ...approved, key_ref: known.keyId };
    const both = linesOf({ ...known.partner, certified_at: '2020-01-01T00:00:00Z' }, its);
    expect((await importInto(bellhop, linesOf(its))).body.errors).toMatchObject([
      { line: 1, field: '/requests_number' },
    ]);
    expect((await importInto(bellhop, both)).body.grants).toMatchObject({ changed: 1 });
  });

  test('a withdrawn grant comes back only as it was, or with an approval', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const certified = { ...partner, certified_at: '2020-01-01T00:00:00Z' };
    const grant = { kind: 'grant', key_ref: keyId, endpoint: SEARCH, requests_number: 5 };
    expect((await importInto(bellhop, linesOf(certified, key, grant))).status).toBe(200);
    const path = `${BASE}/keys/${keyId}/endpoints`;
    await bellhop.support('DELETE', `${path}?endpoint=${SEARCH}`);
    const usual = linesOf({ ...grant, requests_number: 10 });
    expect((await importInto(bellhop, usual)).body.errors).toMatchObject([
      { line: 1, field: '/approval_reference' },
    ]);
    expect((await importInto(bellhop, linesOf(grant))).body.grants).toMatchObject({ created: 1 });
  });

  test('names every line with an error, and imports nothing', async () => {
    const bellhop = shared();
    const { partner, key, keyId, authorization } = oneKey();
    const file = linesOf(
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
      const { status, body } = await importInto(bellhop, file, { query });
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
    const many = linesOf(...Array.from({ length: 500 }, () => 'x'));
    const reply = await importInto(bellhop, many);
    expect(reply.body.errors).toHaveLength(100);
    expect(reply.body.detail).toMatch(/^There are 500 errors, so nothing was imported\. Line 1: /);
  });

  test('is for admins, and takes nothing but NDJSON', async () => {
    const bellhop = shared();
    const { partner, key } = oneKey();
    const file = linesOf(partner, key);
    const { body: support } = await bellhop.support('POST', '/support/v1/tokens', {
      ...{ name: 'Maya', role: 'support' },
    });
    expect((await importInto(bellhop, file, { token: support.token })).status).toBe(403);
    const json = { headers: { 'content-type': 'application/json' } };
    expect(await importInto(bellhop, file, json)).toMatchObject({
      status: 415,
      body: { detail: expect.stringMatching(/application\/x-ndjson/) },
    });
    const gzip = { headers: { 'content-encoding': 'gzip' } };
    expect((await importInto(bellhop, gzipSync(file), gzip)).status).toBe(415);
    expect((await importInto(bellhop, file, { query: 'dry_run=perhaps' })).status).toBe(422);
    const bom = Buffer.concat([
      Buffer.from('\ufeff'),
      Buffer.from(file.replaceAll('\n', '\r\n\r\n')),
    ]);
    expect((await importInto(bellhop, bom)).body).toMatchObject({ lines: 2, keys: created(1) });
    expect((await importInto(bellhop, Buffer.from([0xff, 0x0a]))).body.errors).toMatchObject([
      { line: 1, detail: 'is not UTF-8' },
    ]);
  });

  test('two at once: one is refused, or both find the same; a caller that hangs up leaves nothing', async () => {
    const bellhop = shared();
    const system = anotherSystem({ keys: 200 });
    const file = fileOf(system);
    const neverEnding = async () => {
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
      // Meanwhile it most likely begins.
      await bellhop.support('GET', `${BASE}/partners`);
      return call;
    };
    let call = await neverEnding();
    // The import that asks may still come first, and is then the one that runs.
    while ((await importInto(bellhop, '')).body.code !== 'import_running') {
      call.destroy();
      call = await neverEnding();
    }
    call.destroy();
    const isFree = async () => expect((await importInto(bellhop, '')).status).toBe(200);
    await vi.waitFor(isFree, 15_000);
    expect((await overview(bellhop, basic(oldKeyId(system, 0), oldApiKey(0)))).status).toBe(401);
    const replies = await Promise.all([importInto(bellhop, file), importInto(bellhop, file)]);
    expect(replies.map(({ status }) => status)).toContain(200);
    expect((await importInto(bellhop, file)).body.keys).toEqual(unchanged(200));
  });
});

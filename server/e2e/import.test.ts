import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { basic, startBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { oldApiKey, oldKeyId } from '../testing/old-system.ts';
import { browserWith, cookieOf, signedInBrowser } from '../testing/portal-browser.ts';
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
  readExport,
  SEARCH,
  unchanged,
} from './imported-files.ts';

const newMasterKey = () => randomBytes(32).toString('base64');

describeOnEachEngine('an import', (_start, share) => {
  const shared = share(ALLOW_LOOPBACK);

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
    const trial = await importInto(bellhop, file, { query: 'dry_run' });
    expect(trial).toMatchObject({ status: 200, body: { dry_run: true, ...counts } });
    const first = basic(oldKeyId(system, 0), oldApiKey(0));
    expect((await overview(bellhop, first)).status).toBe(401);
    expect(await importInto(bellhop, file)).toMatchObject({
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

    expect((await importInto(bellhop, file)).body).toMatchObject({
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
    const file = linesOf(
      { ...partner, midoffice_ref: midoffice.ref },
      { ...midoffice, signing_key_ref: key.key_id, body_form: 'flat', paused: true },
      key,
    );
    expect((await importInto(bellhop, file)).status).toBe(200);
    const { records } = await readExport(bellhop);
    const { id } = records.find(({ ref }) => ref === partner.ref);
    const accepted = await bellhop.support('POST', '/orders/v1/production/events', {
      event_id: partner.ref,
      type: 'created',
      partner_id: id,
      partner_order_id: '1',
    });
    expect(accepted.body.results).toMatchObject([{ outcome: 'queued' }]);
    const resumed = linesOf({ kind: 'midoffice', ref: midoffice.ref, paused: false });
    expect((await importInto(bellhop, resumed)).body.midoffices).toMatchObject({ changed: 1 });
    const delivery = `${BASE}/deliveries/${accepted.body.results[0].delivery_id}`;
    await vi.waitFor(
      async () => {
        const { attempts } = (await bellhop.support('GET', delivery)).body;
        expect(attempts).toMatchObject([{ body_form: 'flat', key_id: key.key_id }]);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  test('another URL or midoffice is told to the partners once, and ends a pending change of it', async () => {
    const bellhop = shared();
    const { partner, key } = oneKey();
    const ref = `${partner.ref}, hook`;
    const midoffice = { kind: 'midoffice', ref, signing_key_ref: key.key_id };
    const leadTo = async (url: string) =>
      (await importInto(bellhop, linesOf({ ...midoffice, url }))).body.midoffices;
    const first = { ...midoffice, url: 'http://127.0.0.1:9/first' };
    await importInto(bellhop, linesOf({ ...partner, midoffice_ref: ref }, first, key));
    const { records } = await readExport(bellhop);
    const { id } = records.find((one) => one.ref === partner.ref);
    const portal = await signedInBrowser(bellhop, 'production', id);
    const changed = await portal.send('PATCH', 'midoffice', { url: 'http://127.0.0.1:9/pending' });
    expect(changed.body).toMatchObject({ code: 'receiver_test_failed' });
    expect((await portal.get('midoffice')).body.url_change).not.toBeNull();
    expect(await leadTo('http://127.0.0.1:10/second')).toMatchObject({ changed: 1 });
    expect(await leadTo('http://127.0.0.1:10/second')).toMatchObject({ unchanged: 1 });
    const told = async () => {
      const ofUrl = `${BASE}/notices?partner_id=${id}&kind=url_changed`;
      const { items } = (await bellhop.support('GET', ofUrl)).body;
      return items.map(({ text }: { text: string }) => / to (\S+)\. /.exec(text)?.[1]);
    };
    expect(await told()).toEqual(['127.0.0.1:10']);
    expect((await portal.get('midoffice')).body.url_change).toBeNull();

    // Another midoffice, which gets another URL by the same file, as does the one before.
    const other = { ...midoffice, ref: `${ref} 2`, url: 'http://127.0.0.1:10/third' };
    await importInto(bellhop, linesOf(other));
    const moved = { ...partner, midoffice_ref: other.ref };
    const urls = ['http://127.0.0.1:11/third', 'http://127.0.0.1:12/second'] as const;
    await importInto(
      bellhop,
      linesOf(moved, { ...other, url: urls[0] }, { ...midoffice, url: urls[1] }),
    );
    expect(await told()).toEqual(['127.0.0.1:11', '127.0.0.1:10']);
  });

  test('the file changes what it names, and never an API key, an owner or a certification', async () => {
    const bellhop = shared();
    const { partner, key, keyId, authorization } = oneKey();
    const certified = { certified_at: '2020-01-01T00:00:00Z', certification_reference: 'C1' };
    await importInto(
      bellhop,
      linesOf({ ...partner, ...certified }, { ...key, label: 'a', endpoints: [SEARCH] }),
    );
    expect((await overview(bellhop, authorization)).status).toBe(200);
    const { records } = await readExport(bellhop);
    const { id } = records.find((one) => one.ref === partner.ref);
    const portal = await signedInBrowser(bellhop, 'production', id);
    expect((await portal.get('me')).status).toBe(200);

    const change = linesOf(
      { kind: 'partner', ref: partner.ref, suspended: true, certified_at: null },
      { kind: 'key', key_id: keyId, disabled: true },
      {
        kind: 'grant',
        key_ref: keyId,
        endpoint: `/${SEARCH}`,
        requests_number: 77,
        approval_reference: 'SALES-7',
      },
    );
    expect((await importInto(bellhop, change)).body).toMatchObject({
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
    // As in the console, the sessions have ended, and do not come back.
    await importInto(bellhop, linesOf({ kind: 'partner', ref: partner.ref, suspended: false }));
    expect((await portal.get('me')).status).toBe(401);

    const stranger = oneKey();
    for (const [line, field] of [
      [{ ...key, api_key: randomUUID() }, '/api_key'],
      [{ ...key, partner_ref: stranger.partner.ref }, '/partner_ref'],
    ] as const) {
      const reply = await importInto(bellhop, linesOf(stranger.partner, line));
      expect(reply.body).toMatchObject({ code: 'import_refused', errors: [{ line: 2, field }] });
    }
    await bellhop.support('DELETE', `${BASE}/keys/${keyId}`);
    const revoked = await importInto(bellhop, linesOf({ ...key, label: 'b' }));
    expect(revoked.body).toMatchObject({ keys: { skipped: 1 }, skipped_lines: [{ line: 1 }] });
  });
});

test('a key that a file revokes ends its sessions in the portal, which the audit shows', async () => {
  const bellhop = await startBellhop(ALLOW_LOOPBACK);
  const { partner, key, keyId, apiKey } = oneKey();
  await importInto(bellhop, linesOf(partner, key));
  const body = { key_id: keyId, api_key: apiKey };
  const signedIn = await browserWith(bellhop, 'production', '').send('POST', 'session', body);
  const browser = browserWith(bellhop, 'production', cookieOf(signedIn));
  expect((await browser.get('me')).body).toMatchObject({ key_id: keyId });
  const revoked = { kind: 'key', key_id: keyId, revoked_at: '2020-01-01T00:00:00Z' };
  expect((await importInto(bellhop, linesOf(revoked))).body.keys).toMatchObject({ changed: 1 });
  expect((await browser.get('me')).status).toBe(401);
  expect(await auditOf(bellhop, 'portal_session.end')).toMatchObject([
    { before: { key_id: keyId }, after: null },
  ]);
});

test('a repeated import changes nothing while the master key is being rotated', async () => {
  const [before, after] = [newMasterKey(), newMasterKey()];
  const settings = { ...ALLOW_LOOPBACK, BELLHOP_DATA_DIR: await temporaryFolder() };
  const file = fileOf(anotherSystem());
  const first = await startBellhop({ ...settings, BELLHOP_MASTER_KEY: before });
  expect((await importInto(first, file)).body.keys).toEqual(created(40));
  await first.stop();

  const rotating = { BELLHOP_MASTER_KEY: after, BELLHOP_PREVIOUS_MASTER_KEYS: before };
  const second = await startBellhop({ ...settings, ...rotating });
  expect((await importInto(second, file)).body.keys).toEqual(unchanged(40));
});

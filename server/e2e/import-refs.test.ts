/** How the lines of an import refer to each other, to earlier imports and to records that exist already. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY, describeOnEachEngine } from '../testing/engines.ts';
import { newMasterKey } from '../testing/settings.ts';
import {
  ALLOW_LOOPBACK,
  auditOf,
  BASE,
  importInto,
  linesOf,
  oneKey,
  readExport,
  SEARCH,
  unchanged,
} from './imported-files.ts';

const SETTINGS = { ...ALLOW_LOOPBACK, ...BACK_OFFICE_ONLY };
const OVERVIEW = 'api/b2b/v3/overview/';

describeOnEachEngine('references of an import', (_start, share) => {
  const shared = share(SETTINGS);

  async function partnerWithRef(ref: string) {
    const { records } = await readExport(shared());
    return records.find((record) => record.kind === 'partner' && record.ref === ref);
  }

  test('a line may refer to another line by its id as well as by its ref, for new and known records', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const id = `par_${randomBytes(14).toString('hex')}`;
    const hook = { kind: 'midoffice', ref: `hook of ${keyId}`, url: 'http://127.0.0.1:9/' };
    const grant = { kind: 'grant', key_ref: keyId, endpoint: SEARCH, requests_number: 3 };
    const file = linesOf(
      { ...partner, id, certified_at: '2020-01-01T00:00:00Z' },
      { ...key, ref: `ref of ${keyId}`, partner_ref: id },
      grant,
      { ...grant, key_ref: `ref of ${keyId}`, endpoint: OVERVIEW },
      { ...hook, signing_key_ref: keyId },
    );
    const first = await importInto(bellhop, file);
    expect(first).toMatchObject({ status: 200, body: { keys: { created: 1 } } });
    expect(await importInto(bellhop, file)).toMatchObject({
      status: 200,
      body: {
        partners: unchanged(1),
        keys: unchanged(1),
        grants: unchanged(2),
        midoffices: unchanged(1),
      },
    });
    const { body } = await bellhop.support('GET', `${BASE}/keys/${keyId}/endpoints`);
    const changed = body.items.filter(
      ({ requests_number }: { requests_number: number }) => requests_number === 3,
    );
    expect(changed).toMatchObject([{ endpoint: SEARCH }, { endpoint: OVERVIEW }]);
    const twice = linesOf(
      { kind: 'key', ref: 'R', key_id: keyId },
      { ...grant, key_ref: 'R' },
      { ...grant, endpoint: OVERVIEW },
      grant,
    );
    expect((await importInto(bellhop, twice)).body.errors).toEqual([
      { line: 4, field: '/endpoint', detail: 'is granted to this key on line 2 already' },
    ]);
    const another = { ...grant, requests_number: 2 };
    expect((await importInto(bellhop, linesOf(another))).body).toMatchObject({
      keys: { changed: 1 },
      grants: { changed: 1 },
    });
  });

  test('a file that only gives refs to known records is kept for later files', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const { body: known } = await bellhop.support('POST', `${BASE}/partners`, {
      ...{ name: partner.name, integration_started_on: '2020-01-01', is_new: false },
    });
    const refs = linesOf({ kind: 'partner', ref: partner.ref, id: known.id });
    const before = (await auditOf(bellhop, 'records.import')).length;
    await importInto(bellhop, refs, { query: 'dry_run' });
    expect(await importInto(bellhop, refs)).toMatchObject({
      status: 200,
      body: { partners: unchanged(1) },
    });
    await importInto(bellhop, refs);
    expect(await auditOf(bellhop, 'records.import')).toHaveLength(before + 1);
    expect((await importInto(bellhop, linesOf(key))).status).toBe(200);
    const owned = await bellhop.support('GET', `${BASE}/keys/${keyId}`);
    expect(owned.body.partner_id).toBe(known.id);
  });

  test('midoffice_ref null takes the midoffice away; a line without it leaves it', async () => {
    const bellhop = shared();
    const { partner, key, keyId } = oneKey();
    const hook = { kind: 'midoffice', ref: `hook of ${keyId}`, url: 'http://127.0.0.1:9/' };
    const file = linesOf({ ...partner, midoffice_ref: hook.ref }, key, {
      ...hook,
      signing_key_ref: keyId,
    });
    expect((await importInto(bellhop, file)).status).toBe(200);
    expect((await importInto(bellhop, linesOf(partner))).body.partners).toEqual(unchanged(1));
    expect(await partnerWithRef(partner.ref)).toMatchObject({ midoffice_ref: hook.ref });
    const without = linesOf({ kind: 'partner', ref: partner.ref, midoffice_ref: null });
    expect((await importInto(bellhop, without)).body.partners).toMatchObject({ changed: 1 });
    expect(await partnerWithRef(partner.ref)).toMatchObject({ midoffice_ref: null });
    expect((await importInto(bellhop, without)).body.partners).toEqual(unchanged(1));
  });
});

describeWithPostgres(
  'two imports at the same time on one database',
  (_empty, databaseWithTables) => {
    async function sharedDatabase() {
      const url = await databaseWithTables();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      const settings = {
        ...SETTINGS,
        BELLHOP_ENVIRONMENTS: 'production',
        BELLHOP_PRODUCTION_DATABASE_URL: url,
        BELLHOP_MASTER_KEY: newMasterKey(),
      };
      const untilWaiting = (table: string, count: number) =>
        vi.waitFor(
          async () => {
            const { rows } = await client.query(
              'select pid from pg_locks where relation = $1::regclass and not granted',
              [table],
            );
            expect(rows).toHaveLength(count);
          },
          { timeout: 20_000, interval: 50 },
        );
      return { client, settings, untilWaiting };
    }

    test('two files with the same new partner: one partner, one 409', async () => {
      const { client, settings, untilWaiting } = await sharedDatabase();
      const nodes = await Promise.all([startBellhop(settings), startBellhop(settings)]);
      const [one] = nodes as [TestBellhop, TestBellhop];
      const { partner } = oneKey();
      const files = nodes.map(() =>
        linesOf(partner, { ...oneKey().key, partner_ref: partner.ref }),
      );
      // While inserts into it wait, both imports are planned.
      await client.query('begin; lock table bellhop.partner in share mode');
      const imports = nodes.map((node, index) => importInto(node, files[index] as string));
      await untilWaiting('bellhop.partner', nodes.length);
      await client.query('commit');
      const replies = await Promise.all(imports);
      const outcomes = replies.map(({ status, body }) => [status, body.code]);
      expect(outcomes.sort()).toEqual([
        [200, undefined],
        [409, 'changed_meanwhile'],
      ]);
      const kinds = async () => (await readExport(one)).records.map(({ kind }) => kind);
      expect(await kinds()).toEqual(['bellhop-export', 'partner', 'key']);
      for (const file of files) expect((await importInto(one, file)).status).toBe(200);
      expect(await kinds()).toEqual(['bellhop-export', 'partner', 'key', 'key']);
    });

    test('one commits between two reads of the other: 409, and no error in the file', async () => {
      const { client, settings, untilWaiting } = await sharedDatabase();
      const node = await startBellhop(settings);
      const { partner, key } = oneKey();
      const file = linesOf(partner, key);
      expect((await importInto(node, file)).status).toBe(200);
      const imported = ['partner', 'api_key', 'imported_ref'];
      for (const table of imported) {
        await client.query(`create table kept_${table} as table bellhop.${table}`);
      }
      const tables = imported.map((table) => `bellhop.${table}`);
      await client.query(`truncate ${tables.join(', ')} cascade`);
      // An import that waits for the keys has already looked for its partner.
      await client.query('begin; lock table bellhop.api_key in access exclusive mode');
      const importing = importInto(node, file);
      await untilWaiting('bellhop.api_key', 1);
      for (const table of imported) {
        await client.query(`insert into bellhop.${table} table kept_${table}`);
      }
      await client.query('commit');
      const { status, body } = await importing;
      expect([status, body.code]).toEqual([409, 'changed_meanwhile']);
      expect((await importInto(node, file)).body.keys).toEqual(unchanged(1));
    });
  },
);

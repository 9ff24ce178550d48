import { expect, test } from 'vitest';
import { basic } from '../testing/bellhop.ts';
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
  readExport,
  SEARCH,
  unchanged,
} from './imported-files.ts';

const NAMES = ['ref', 'key_id', 'key_ref', 'partner_ref', 'midoffice_ref', 'signing_key_ref'];

/** The same records as others of the same environment. */
function underOtherNames({ id: _id, ...record }: Record<string, unknown>): object {
  const renamed = NAMES.flatMap((name) =>
    typeof record[name] === 'string' ? [[name, `9${record[name]}`]] : [],
  );
  return { ...record, ...Object.fromEntries(renamed) };
}

describeOnEachEngine('exports', (start) => {
  test('an export imported where it came from changes nothing; elsewhere it makes the same', async () => {
    const here = await start(ALLOW_LOOPBACK);
    const elsewhere = { environment: 'sandbox' };
    const system = anotherSystem();
    expect((await importInto(here, fileOf(system))).status).toBe(200);
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
      const again = await importInto(here, body);
      expect(again.body).toMatchObject({ partners: unchanged(8), keys: unchanged(40) });
    }
    expect((await importInto(here, plain.body, elsewhere)).body.errors).toMatchObject([
      { line: 1, field: '/environment' },
    ]);
    const withoutHeader = (file: string) => file.slice(file.indexOf('\n') + 1);
    const withoutKeys = await importInto(here, withoutHeader(plain.body), elsewhere);
    expect(withoutKeys.body).toMatchObject({
      partners: created(8),
      keys: { created: 0, skipped: 40 },
      midoffices: { created: 0, skipped: 2 },
    });
    const reasons = withoutKeys.body.skipped_lines.map(({ reason }: { reason: string }) => reason);
    expect(reasons).toContain('The line has no api_key, and there is no such key yet.');
    expect(await importInto(here, withoutHeader(full.body), elsewhere)).toMatchObject({
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

    // To another production: the limits are in force here, but who approved them there?
    const abroad = linesOf(...full.records.slice(1).map(underOtherNames));
    const unapproved = await importInto(here, abroad);
    expect(unapproved.body.errors.length).toBeGreaterThan(0);
    for (const { field } of unapproved.body.errors) expect(field).toBe('/approval_reference');
    const query = 'approval_reference=Moved%20from%20the%20old%20region';
    expect(await importInto(here, abroad, { query })).toMatchObject({
      status: 200,
      body: { keys: created(40), midoffices: created(2) },
    });
    expect(await auditOf(here, 'records.import')).toContainEqual(
      expect.objectContaining({
        after: expect.objectContaining({ approval_references: ['Moved from the old region'] }),
      }),
    );
  });
});

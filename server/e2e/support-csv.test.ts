import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine, PRODUCTION_ONLY, sharedBackOffice } from '../testing/engines.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { importInto, linesOf } from './imported-files.ts';

const BASE = '/support/v1/production';
const CSV = 'text/csv; charset=utf-8';
const SETTINGS = { ...PRODUCTION_ONLY, ...LOOPBACK_RECEIVERS };

async function get(
  { addresses }: TestBellhop,
  path: string,
  { accept = 'text/csv', method = 'GET', token = ADMIN_TOKEN } = {},
) {
  const reply = await fetch(addresses.backOffice + path, {
    method,
    headers: { authorization: `Bearer ${token}`, accept },
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** The rows without the header. No cell of these tests has a line break. */
function rowsOf(text: string): string[] {
  const lines = text.split('\r\n');
  expect(lines.at(-1)).toBe('');
  return lines.slice(1, -1);
}

const columnsOf = (text: string): string[] => (text.split('\r\n')[0] ?? '').split(',');

function createPartner({ support }: TestBellhop, name: string) {
  return support('POST', `${BASE}/partners`, {
    name,
    integration_started_on: '2025-11-01',
    is_new: false,
  });
}

async function importPartners(bellhop: TestBellhop, names: readonly string[]): Promise<void> {
  const lines = names.map((name, n) => ({ kind: 'partner', ref: `${n}`, name }));
  expect(await importInto(bellhop, linesOf(...lines))).toMatchObject({ status: 200 });
}

/** The paths of the document whose replies have items, all of which must also be described as CSV. */
async function listsIn({ addresses }: TestBellhop): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: a document has any form.
  const document = (await (await fetch(`${addresses.backOffice}/openapi.json`)).json()) as any;
  return Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, { get }]) => {
    const content = (get as typeof document)?.responses[200]?.content ?? {};
    const name = content['application/json']?.schema.$ref?.split('/').at(-1);
    if (!document.components.schemas[name]?.properties?.items) return [];
    expect([path, ...Object.keys(content)]).toEqual([path, 'application/json', 'text/csv']);
    return path;
  });
}

describeOnEachEngine('lists as CSV', (start, share) => {
  const shared = share(SETTINGS);

  test('contain the whole list, past the largest page', async () => {
    const bellhop = shared();
    const names = Array.from({ length: 431 }, (_, n) => `Partner ${n}`);
    await importPartners(bellhop, names);
    const { status, headers, text } = await get(
      bellhop,
      `${BASE}/partners?name=Partner&sort=created_at&limit=5`,
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('vary')).toBe('accept');
    const day = new Date().toISOString().slice(0, 10);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="bellhop-production-partners-${day}.csv"`,
    );
    const listed = rowsOf(text).map((row) => row.split(',')[columnsOf(text).indexOf('name')]);
    expect(listed.sort()).toEqual(names.sort());
  });

  test('obey the filters and the order of the list', async () => {
    const bellhop = shared();
    for (const name of ['b match', 'other', 'A match']) await createPartner(bellhop, name);
    const { text } = await get(bellhop, `${BASE}/partners?name=match&sort=name`);
    expect(rowsOf(text).map((row) => row.split(',')[1])).toEqual(['A match', 'b match']);
  });

  test('are offered by every list, without formulas', async () => {
    const bellhop = await start(SETTINGS);
    const { body: partner } = await createPartner(bellhop, '=HYPERLINK("http://x")');
    const { body: key } = await bellhop.support('POST', `${BASE}/partners/${partner.id}/keys`, {
      label: '@evil',
      allowed_ips: ['192.0.2.1', '2001:db8::/32'],
    });
    const { body: midoffice } = await bellhop.support('POST', `${BASE}/midoffices`, {
      name: '+1',
      url: 'http://127.0.0.1:9/',
      signing_key_id: key.key_id,
    });
    await bellhop.support('PATCH', `${BASE}/partners/${partner.id}`, {
      midoffice_id: midoffice.id,
    });
    await bellhop.support('PATCH', `${BASE}/midoffices/${midoffice.id}`, { paused: true });
    const { body: accepted } = await bellhop.support('POST', '/orders/v1/production/events', {
      event_id: 'e1',
      type: 'created',
      partner_id: partner.id,
      partner_order_id: '-1+1',
    });
    const deliveryId = accepted.results[0].delivery_id;
    await bellhop.support('POST', `${BASE}/partners/${partner.id}/notes`, { text: '=1+1' });
    const expected: [path: string, rows: number, cell: string][] = [
      [`${BASE}/partners`, 1, `"'=HYPERLINK(""http://x"")"`],
      [`${BASE}/keys`, 1, "'@evil"],
      [`${BASE}/keys`, 1, '"[""192.0.2.1"",""2001:db8::/32""]"'],
      [`${BASE}/midoffices`, 1, "'+1"],
      [`${BASE}/deliveries`, 1, "'-1+1"],
      [`${BASE}/partners/${partner.id}/notes`, 1, "'=1+1"],
      [`${BASE}/keys/${key.key_id}/notes`, 0, ''],
      [`${BASE}/midoffices/${midoffice.id}/notes`, 0, ''],
      [`${BASE}/deliveries/${deliveryId}/notes`, 0, ''],
      [`${BASE}/audit?subject=${key.key_id}`, 1, 'key.create'],
      ['/support/v1/tokens', 1, 'tok_first'],
    ];
    for (const [path, rows, cell] of expected) {
      const { status, text } = await get(bellhop, path);
      expect([path, status, rowsOf(text).length]).toEqual([path, 200, rows]);
      expect(text).toContain(cell);
    }
    const ids: Record<string, string> = {
      partners: partner.id,
      keys: key.key_id,
      midoffices: midoffice.id,
      deliveries: deliveryId,
      cases: deliveryId,
    };
    const lists = await listsIn(bellhop);
    expect(lists).toContain('/support/v1/{environment}/delivery-nodes');
    const compared: string[] = [];
    for (const list of lists) {
      const path = list
        .replace('{environment}', 'production')
        .replace(/(\w+)\/\{\w+\}/, (_, kind: string) => `${kind}/${ids[kind]}`)
        .replace(/search$/, 'search?q=HYPERLINK');
      const { status, headers, text } = await get(bellhop, path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, CSV]);
      const { items } = (await bellhop.support('GET', path)).body;
      if (items.length === 0) continue;
      // A field may be left out of an item, and a column may not.
      expect([path, ...columnsOf(text)]).toEqual(expect.arrayContaining(Object.keys(items[0])));
      compared.push(list.split('/').at(-1) as string);
    }
    const kinds = ['partners', 'keys', 'midoffices', 'deliveries', 'notes', 'audit', 'tokens'];
    expect(compared).toEqual(expect.arrayContaining(kinds));
  });

  test('end when the caller goes away, and the server goes on', async () => {
    const bellhop = shared();
    const name = 'x'.repeat(200);
    await importPartners(bellhop, Array(450).fill(name));
    const path = `${BASE}/partners?name=${name}`;
    const call = request(`${bellhop.addresses.backOffice}${path}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, accept: 'text/csv' },
    });
    call.end();
    const [reply] = await once(call, 'response');
    await once(reply, 'readable');
    reply.destroy();
    await once(reply, 'close');
    expect(rowsOf((await get(bellhop, path)).text)).toHaveLength(450);
  });
});

describe('lists as CSV', () => {
  const shared = sharedBackOffice();

  test('are chosen by the Accept header or the parameter; JSON is the default', async () => {
    const bellhop = shared();
    const typeFor = async (accept: string, query = '') =>
      (await get(bellhop, `${BASE}/partners${query}`, { accept })).headers.get('content-type');
    const csv = 'text/csv; charset=utf-8';
    const json = 'application/json; charset=utf-8';
    for (const accept of ['text/csv', 'Text/CSV;q=0.5', 'application/json;q=0.1, text/csv']) {
      expect([accept, await typeFor(accept)]).toEqual([accept, csv]);
    }
    for (const accept of [
      '*/*',
      'application/json',
      'text/csv;q=0',
      'text/csv;q=0.1,application/json',
    ]) {
      expect([accept, await typeFor(accept)]).toEqual([accept, json]);
    }
    expect(await typeFor('*/*', '?format=csv')).toBe(csv);
    expect(await typeFor('text/csv', '?format=json')).toBe(json);
    expect((await get(bellhop, `${BASE}/partners?format=xml`)).status).toBe(422);
    const head = await get(bellhop, `${BASE}/partners`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, csv, '']);
  });

  test('are refused as JSON lists are', async () => {
    const bellhop = shared();
    for (const [path, token, status, code] of [
      [`${BASE}/partners`, 'wrong', 401, 'unauthenticated'],
      [`${BASE}/partners/nobody/notes`, ADMIN_TOKEN, 404, 'partner_not_found'],
      [`${BASE}/partners?sort=fame`, ADMIN_TOKEN, 422, 'validation_failed'],
    ] as const) {
      const reply = await get(bellhop, path, { token });
      expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect([reply.status, JSON.parse(reply.text).code]).toEqual([status, code]);
    }
  });
});

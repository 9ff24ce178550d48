/**
 * Text that PostgreSQL cannot store, wherever an OpenAPI document has text: in paths, queries and bodies. What a schema
 * lets through is a 500 there, while SQLite stores it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { ADMIN_TOKEN, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { readText } from '../testing/deploy-files.ts';
import { allowed, resolve, type Schema } from '../testing/openapi-values.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';

const NUL = 'a\0';
/** Only JSON can bring it: it has no UTF-8. */
const LONE_SURROGATE = '\ud800';
/** Each has the form of some list's cursor, or nearly; none may reach a database that then refuses it. */
const CURSORS = [
  ...['x', '0', '-1', '1.5', '01', '1e3', '9'.repeat(19), '9'.repeat(30), 'a.b', '.', '🧳'],
  ...['del_0', 'del_1.5', 'del_01', `del_${'9'.repeat(17)}`, `del_${'9'.repeat(30)}`],
  ...['1-x', `${'9'.repeat(16)}-x`, `-${'9'.repeat(16)}-x`, '1-a\0', 'AA.x', 'YQA.x', 'gA.x'],
];

/** How operations answer that compare or judge a text, and never store it. */
const STORES_NOTHING: Record<string, number> = { checkReceiver: 200, signIn: 401 };

interface Operation {
  id: string;
  method: string;
  path: string;
  described: Schema;
}

interface Problem {
  code: string;
  errors?: { field: string }[];
}

/** Somebody who may do everything that a document has. */
interface Caller {
  origin: string;
  headers: Record<string, string>;
}

/** By the word before them in a path, or by the field that refers to them. */
type Existing = Record<string, string>;

describeWithPostgres('text that PostgreSQL cannot store', (_empty, databaseWithTables) => {
  test.each([
    ['back-office', backOffice],
    ['portal', portal],
  ] as const)('is refused wherever the document of the %s has text', async (name, callerOf) => {
    const document: Schema = JSON.parse(readText(`docs/openapi/${name}.json`));
    const bellhop = await startBellhop({
      ...LOOPBACK_RECEIVERS,
      BELLHOP_ROLES: 'back-office,portal',
      BELLHOP_ENVIRONMENTS: 'sandbox',
      // Without a mail server, an address is refused before anyone looks at it.
      BELLHOP_SMTP_URL: 'smtp://127.0.0.1:9',
      BELLHOP_MAIL_FROM: 'noreply@bellhop.example',
      BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const existing = await createOneOfEach(bellhop);
    const { origin, headers } = await callerOf(bellhop, existing);

    const problems: string[] = [];
    async function expectRefused(one: Operation, path: string, body: unknown, field: string) {
      const reply = await call(one, path, body);
      const { code, errors } = (await reply.json()) as Problem;
      if (reply.status === STORES_NOTHING[one.id]) return;
      // A reference to another record may be looked for, and not found.
      if (/_ids?(\/\d+)?$/.test(field) && /^(key|midoffice|delivery)_not_found$/.test(code)) return;
      const isNamed = errors?.some((error) => error.field === field);
      if (reply.status === 422 && isNamed) return;
      problems.push(`${one.id} ${field} ${JSON.stringify(body)}: ${reply.status} ${code}`);
    }
    const call = ({ method }: Operation, path: string, body?: unknown) =>
      fetch(origin + path, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      });

    for (const operation of operationsOf(document)) {
      const { path, described } = operation;
      const schema = described.requestBody?.content['application/json']?.schema;
      const body = schema && goodValue(document, schema, existing);
      const inQuery: Schema[] = (described.parameters ?? []).filter(
        ({ in: at }: Schema) => at === 'query',
      );
      const needed = inQuery
        .filter((one) => one.required)
        .map(({ name, schema: { examples, minimum } }) => [name, examples?.[0] ?? minimum ?? 'x']);
      const query = (more: object) =>
        new URLSearchParams({ ...Object.fromEntries(needed), ...more }).toString();
      const fill = (template: string) =>
        template.replace(/(\w+)\/\{\w+\}/g, (_, word) => `${word}/${existing[word] ?? 'x'}`);
      const filled = fill(path);

      for (const [wrong] of path.matchAll(/\{\w+\}/g)) {
        const there = fill(path.replace(wrong, encodeURIComponent(NUL)));
        const { status } = await call(operation, `${there}?${query({})}`, body);
        if (status !== 404) problems.push(`${operation.id} ${wrong}: ${status}`);
      }
      for (const { name: wrong } of inQuery) {
        await expectRefused(operation, `${filled}?${query({ [wrong]: NUL })}`, body, wrong);
        for (const cursor of wrong === 'cursor' ? CURSORS : []) {
          const { status } = await call(operation, `${filled}?${query({ cursor })}`);
          if (![200, 422].includes(status)) problems.push(`${operation.id} ${cursor}: ${status}`);
        }
      }
      for (const text of schema ? [NUL, LONE_SURROGATE] : []) {
        for (const [field, wrong] of bodiesWith(text, document, schema, existing)) {
          await expectRefused(operation, filled, wrong, field);
        }
      }
    }
    expect(problems).toEqual([]);
  });
});

function operationsOf(document: Schema): Operation[] {
  return Object.entries<Schema>(document.paths).flatMap(([path, item]) =>
    Object.entries<Schema>(item).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      described,
    })),
  );
}

/** A value that is accepted, with no more than it needs. */
function goodValue(document: Schema, given: Schema, existing: Existing): Schema {
  const { oneOf: [first] = [given] } = resolve(document, given);
  const { properties = {}, required = [], minProperties = 0 } = resolve(document, first);
  const needed = required.length > 0 ? required : Object.keys(properties).slice(0, minProperties);
  return Object.fromEntries(
    needed.map((name: string) => [
      name,
      existing[name] ?? fc.sample(allowed(document, properties[name]), 1)[0],
    ]),
  );
}

/** Such values, each with one text replaced, and the place of that text. */
function bodiesWith(
  text: string,
  document: Schema,
  given: Schema,
  existing: Existing,
): [string, unknown][] {
  const schema = resolve(document, given);
  const inside = (part: Schema) => bodiesWith(text, document, part, existing);
  const alternatives: Schema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.flatMap(inside);
  const types = [schema.type].flat();
  if (types.includes('string')) return [['', text]];
  if (types.includes('array')) {
    return inside(schema.items).map(([place, value]) => [`/0${place}`, [value]]);
  }
  if (!types.includes('object')) return [];
  const good = goodValue(document, schema, existing);
  const { properties = {}, additionalProperties } = schema;
  const parts = { ...properties, ...(additionalProperties && { 'X-A': additionalProperties }) };
  return Object.entries(parts).flatMap(([name, part]) =>
    inside(part).map(([place, value]): [string, unknown] => [
      `/${name}${place}`,
      { ...good, [name]: value },
    ]),
  );
}

/** One of each, so that nothing is refused only because it does not exist. */
async function createOneOfEach({ support, newKey }: TestBellhop): Promise<Existing> {
  const { keyId, partnerId } = await newKey('sandbox');
  const url = 'http://127.0.0.1:9/';
  const midoffice = { name: 'x', url, signing_key_id: keyId };
  const { body } = await support('POST', '/support/v1/sandbox/midoffices', midoffice);
  const partner = `/support/v1/sandbox/partners/${partnerId}`;
  await support('PATCH', partner, { midoffice_id: body.id });
  const event = { event_id: 'e', type: 'created', partner_id: partnerId, partner_order_id: 'o' };
  const accepted = await support('POST', '/orders/v1/sandbox/events', event);
  return {
    v1: 'sandbox',
    partners: partnerId,
    keys: keyId,
    midoffices: body.id,
    deliveries: accepted.body.results[0].delivery_id,
    url,
    certificate: issueCertificate({ name: 'x' }).cert,
    partner_id: partnerId,
    signing_key_id: keyId,
  };
}

async function backOffice({ addresses }: TestBellhop): Promise<Caller> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-bellhop-console': '1' };
  return { origin: addresses.backOffice, headers };
}

async function portal(bellhop: TestBellhop, { partners = '' }: Existing): Promise<Caller> {
  const { cookie } = await signedInBrowser(bellhop, 'sandbox', partners);
  return { origin: bellhop.addresses.portal, headers: { cookie } };
}

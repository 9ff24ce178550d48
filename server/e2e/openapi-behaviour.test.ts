/**
 * Holds a running back office to its own OpenAPI document: what the document allows gets one of the
 * replies that it describes, in the described form, and what it forbids gets 422.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type SupportReply } from '../testing/bellhop.ts';
import { readText } from '../testing/deploy-files.ts';
import { sharedBackOffice } from '../testing/engines.ts';
import { allowed, forbidden, resolve, type Schema } from '../testing/openapi-values.ts';

const document: Schema = JSON.parse(readText('docs/openapi/back-office.json'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');

interface Operation {
  id: string;
  method: string;
  path: string;
  described: Schema;
  pointer: string;
}

const operations: Operation[] = Object.entries<Schema>(document.paths).flatMap(([path, item]) =>
  Object.entries<Schema>(item).map(([method, described]) => ({
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    described,
    pointer: `#/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}`,
  })),
);

/** These call receivers, which takes seconds each; other tests cover them with real receivers. */
const CALLS_RECEIVERS = ['certifyReceiver', 'sendTestEvent'];
/** These would sign the test itself out, or lock its address. */
const SIGNS_IN = ['signIn', 'signOut', 'deleteToken', 'deleteTokenById'];
/** Its body is not JSON: import.test.ts. */
const TAKES_LINES = ['importRecords'];
const tested = operations.filter(
  ({ id }) => ![...CALLS_RECEIVERS, ...SIGNS_IN, ...TAKES_LINES].includes(id),
);

const bellhop = sharedBackOffice();
const ids = new Map<string, string>();

async function send(operation: Operation, path: string, body: unknown): Promise<SupportReply> {
  const { addresses } = bellhop();
  const reply = await fetch(addresses.backOffice + path, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      // Signing out is for the console's own pages.
      'x-bellhop-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await reply.text();
  const isJson = /[/+]json/.test(reply.headers.get('content-type') ?? '');
  return {
    status: reply.status,
    headers: reply.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}

function expectDescribed({ id, described, pointer }: Operation, reply: SupportReply): void {
  const response = described.responses[reply.status];
  expect(response, `${id} answers ${reply.status} ${JSON.stringify(reply.body)}`).toBeDefined();
  const { content } = resolve(document, response);
  if (!content) {
    expect(reply.body).toBe('');
    return;
  }
  const type = reply.headers.get('content-type')?.split(';')[0] ?? '';
  expect(Object.keys(content)).toContain(type);
  const place = response.$ref ?? `${pointer}/responses/${reply.status}`;
  const schema = `document${place}/content/${type.replace('/', '~1').replace('+', '%2B')}/schema`;
  const validate = ajv.getSchema(schema) ?? ajv.compile({ $ref: schema });
  expect(validate(reply.body), `${id} ${reply.status} ${ajv.errorsText(validate.errors)}`).toBe(
    true,
  );
}

function pathFor({ path, described }: Operation): fc.Arbitrary<string> {
  const { parameters = [] } = described;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const kind = /\/(\w+)\/\{(?:id|key_id)\}/.exec(path)?.[1] ?? '';
  const parts = names.map((name) =>
    name === 'environment'
      ? fc.constant('sandbox')
      : fc.constantFrom('nothing', ids.get(kind) ?? 'nothing'),
  );
  const inQuery = parameters.filter((one: Schema) => one.in === 'query');
  const query = fc.record(
    Object.fromEntries(
      inQuery.map((one: Schema) => [one.name, allowed(document, one.schema).map(String)]),
    ),
    { requiredKeys: inQuery.filter((one: Schema) => one.required).map((one: Schema) => one.name) },
  );
  return fc.tuple(fc.tuple(...parts), query).map(([values, asked]) => {
    const filled = names.reduce(
      (text, name, i) => text.replace(`{${name}}`, values[i] ?? ''),
      path,
    );
    const search = new URLSearchParams(withFittingCursor(asked as Query)).toString();
    return search ? `${filled}?${search}` : filled;
  });
}

type Query = Record<string, string>;

/** A cursor has another form where a list is sorted by a text, and another parameter chooses that. */
function withFittingCursor({ sort, partner_order_id_prefix, ...query }: Query): Query {
  if (query.cursor?.startsWith('del_')) {
    const isByOrderId = query.cursor.includes('.');
    return isByOrderId ? { ...query, partner_order_id_prefix: 'o' } : query;
  }
  if (query.cursor?.includes('.')) return { ...query, sort: 'name' };
  return {
    ...query,
    ...(sort !== undefined && (!query.cursor || !sort.endsWith('name')) && { sort }),
    ...(partner_order_id_prefix !== undefined && { partner_order_id_prefix }),
  };
}

function bodyFor({ described }: Operation): fc.Arbitrary<unknown> {
  const { requestBody } = described;
  if (!requestBody) return fc.constant(undefined);
  const body = allowed(document, requestBody.content['application/json'].schema);
  return requestBody.required ? body : fc.oneof(body, fc.constant(undefined));
}

/**
 * What a schema cannot say, because it depends on another field, on the time, or on what came before. Any other error in
 * the form of an allowed request is one that the document should have told.
 */
const BEYOND_SCHEMAS: readonly RegExp[] = [
  /^sort must be one of .* (with only=|without only)/,
  /must be in the future/,
  /must not be after until/,
  /must be at most \d+ days before until/,
  /must be a (partner|midoffice) of this environment/,
  // Only reading it shows what PEM contains.
  /^\/client_certificate\/(certificate|private_key) must be a /,
  // Which addresses may receive webhooks is up to DNS and the settings.
  /is not a public address|is called over http|has no address/,
];

function formErrors({ body }: SupportReply): string[] {
  if (!['validation_failed', 'receiver_refused'].includes(body.code)) return [];
  const errors: { field: string; detail: string }[] = body.errors ?? [];
  const sentences = errors.map(({ field, detail }) => `${field} ${detail}`);
  return sentences.filter((sentence) => !BEYOND_SCHEMAS.some((one) => one.test(sentence)));
}

/** Data to read and change, so that not every call gets 404. */
async function prepare(): Promise<void> {
  if (ids.size > 0) return;
  const { keyId, partnerId } = await bellhop().newKey('sandbox');
  const midoffice = await bellhop().support('POST', '/support/v1/sandbox/midoffices', {
    name: 'Test',
    url: 'http://127.0.0.1:9/',
    signing_key_id: keyId,
  });
  await bellhop().support('PATCH', `/support/v1/sandbox/partners/${partnerId}`, {
    midoffice_id: midoffice.body.id,
  });
  const accepted = await bellhop().support('POST', '/orders/v1/sandbox/events', {
    event_id: 'e1',
    type: 'created',
    partner_id: partnerId,
    partner_order_id: 'o1',
  });
  ids.set('partners', partnerId);
  ids.set('keys', keyId);
  ids.set('midoffices', midoffice.body.id);
  ids.set('deliveries', accepted.body.results[0].delivery_id);
}

describe('the back office does what its OpenAPI document says', () => {
  test.each(tested.map((one) => [one.id, one] as const))(
    '%s answers allowed requests as described',
    async (_id, operation) => {
      await prepare();
      await fc.assert(
        fc.asyncProperty(pathFor(operation), bodyFor(operation), async (path, body) => {
          const reply = await send(operation, path, body);
          expect([400, 405, 413, 415, 500, 503]).not.toContain(reply.status);
          expectDescribed(operation, reply);
          expect(formErrors(reply)).toEqual([]);
        }),
        { numRuns: 15 },
      );
    },
  );

  const withBody = tested.filter(({ described }) => described.requestBody);
  test.each(withBody.map((one) => [one.id, one] as const))(
    '%s answers 422 to a forbidden body',
    async (_id, operation) => {
      await prepare();
      const schema = operation.described.requestBody.content['application/json'].schema;
      const { url } = resolve(document, schema).properties ?? {};
      // What is wrong with a URL has a code of its own.
      const codes = ['validation_failed', ...(url?.pattern ? ['receiver_refused'] : [])];
      await fc.assert(
        fc.asyncProperty(pathFor(operation), forbidden(document, schema), async (path, body) => {
          const reply = await send(operation, path, body);
          expect([reply.status, codes.includes(reply.body.code), body]).toEqual([422, true, body]);
          expectDescribed(operation, reply);
        }),
        { numRuns: 25 },
      );
    },
  );

  test('every operation refuses a query parameter that it does not declare, and names it', async () => {
    await prepare();
    for (const operation of operations) {
      const [path = ''] = fc.sample(pathFor(operation), 1);
      const isImport = TAKES_LINES.includes(operation.id);
      const [body] = fc.sample(isImport ? fc.constant(undefined) : bodyFor(operation), 1);
      const reply = await send(
        operation,
        `${path}${path.includes('?') ? '&' : '?'}unknown=1`,
        body,
      );
      expect([operation.id, reply.status, reply.body.errors]).toEqual([
        operation.id,
        422,
        [{ field: 'unknown', detail: 'is not known here' }],
      ]);
      expectDescribed(operation, reply);
    }
  });

  test('a change with a parameter of another operation changes nothing', async () => {
    await prepare();
    const key = `/support/v1/sandbox/keys/${ids.get('keys')}`;
    const { support } = bellhop();
    const before = await support('GET', key);
    const reply = await support('PATCH', `${key}?reason=x`, {
      disabled: !before.body.disabled,
    });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ field: 'reason' }] } });
    expect((await support('GET', key)).body).toEqual(before.body);
  });

  const lists = tested.filter(({ described }) =>
    described.parameters?.some((one: Schema) => one.name === 'cursor'),
  );
  test.each(lists.map((one) => [one.id, one] as const))(
    '%s answers 422 to a forbidden query',
    async (_id, operation) => {
      await prepare();
      const path = operation.path.replace('{environment}', 'sandbox');
      for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1e1', 'limit=']) {
        const reply = await send(operation, `${path}?${query}`, undefined);
        expect([query, reply.status]).toEqual([query, 422]);
        expectDescribed(operation, reply);
      }
    },
  );
});

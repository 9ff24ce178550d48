import { expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { readPrometheus } from '../testing/prometheus.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the document.
type Json = any;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

async function readDocument(): Promise<Json> {
  const { addresses } = await startBellhop();
  const reply = await fetch(`${addresses.backOffice}/openapi.json`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  return reply.json();
}

test('/openapi.json is well-formed OpenAPI 3.1', async () => {
  const document = await readDocument();
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  const schemes = Object.keys(document.components.securitySchemes);
  for (const requirement of document.security)
    expect(schemes).toEqual(expect.arrayContaining(Object.keys(requirement)));

  const operationIds: string[] = [];
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    expect(path).toMatch(/^\/[^?#]*$/);
    for (const [method, operation] of Object.entries<Json>(item)) {
      const name = `${method} ${path}`;
      expect(METHODS, name).toContain(method);
      if (operation.operationId !== undefined) operationIds.push(operation.operationId);
      expect(operation.summary, name).toEqual(expect.any(String));
      checkParameters(name, path, operation.parameters ?? []);
      if (operation.requestBody) checkContent(name, operation.requestBody.content);
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.some((status) => status.startsWith('2')),
        name,
      ).toBe(true);
      for (const [status, given] of Object.entries<Json>(operation.responses)) {
        const response = given.$ref ? followed(document, given.$ref) : given;
        expect(status, name).toMatch(/^([1-5](\d\d|XX)|default)$/);
        expect(response.description, `${name} ${status}`).toEqual(expect.any(String));
        if (response.content) checkContent(`${name} ${status}`, response.content);
      }
      for (const requirement of operation.security ?? []) {
        expect(schemes, name).toEqual(expect.arrayContaining(Object.keys(requirement)));
      }
    }
  }
  expect(new Set(operationIds).size).toBe(operationIds.length);
  for (const reference of JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)) {
    expect(followed(document, reference[1] as string)).toBeDefined();
  }
});

test('every call of the support team is described', async () => {
  const { paths } = await readDocument();
  const base = '/support/v1/{environment}';
  const expected: [string, string[]][] = [
    [`${base}/partners`, ['get', 'post']],
    [`${base}/partners/{id}`, ['get', 'patch']],
    [`${base}/partners/{id}/certification`, ['post']],
    [`${base}/partners/{id}/keys`, ['post']],
    [`${base}/keys`, ['get']],
    [`${base}/keys/{key_id}`, ['delete', 'get', 'patch']],
    [`${base}/keys/{key_id}/rotation`, ['post']],
    [`${base}/keys/{key_id}/endpoints`, ['delete', 'get', 'put']],
    [`${base}/keys/{key_id}/usage`, ['get']],
    [`${base}/audit`, ['get']],
    ['/support/v1/tokens', ['delete', 'get', 'post']],
  ];
  for (const [path, methods] of expected) {
    expect([path, Object.keys(paths[path] ?? {}).sort()]).toEqual([path, methods]);
  }
});

test('/metrics is in the Prometheus format and counts partner calls', async () => {
  const { addresses, newKey } = await startBellhop();
  const { authorization } = await newKey('sandbox');
  const overview = () =>
    fetch(`${addresses.sandbox}/api/b2b/v3/overview/`, { headers: { authorization } });
  await overview();
  await overview();
  await fetch(`${addresses.sandbox}/api/b2b/v3/overview/`);
  await fetch(`${addresses.sandbox}/"quoted\\path"`);

  const reply = await fetch(`${addresses.backOffice}/metrics`);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const families = readPrometheus(await reply.text());
  const requests = families.get('bellhop_partner_requests_total')?.samples ?? [];
  const count = (status: string) =>
    requests
      .filter(({ labels }) => labels.environment === 'sandbox' && labels.status === status)
      .reduce((sum, { value }) => sum + value, 0);
  expect(count('200')).toBe(2);
  expect(count('401')).toBe(2);
  expect(families.get('bellhop_limits_degraded')?.samples.map(({ value }) => value)).toEqual([
    0, 0,
  ]);
  const durations = families.get('bellhop_partner_request_seconds')?.samples ?? [];
  const counts = durations.filter(({ name }) => name.endsWith('_count'));
  expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(4);
});

function checkParameters(name: string, path: string, parameters: Json[]): void {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  expect(inPath.map((parameter) => parameter.name).sort(), name).toEqual(named.sort());
  for (const parameter of parameters) {
    expect(['path', 'query', 'header', 'cookie'], name).toContain(parameter.in);
    if (parameter.in === 'path') expect(parameter.required, name).toBe(true);
    checkSchema(`${name} ${parameter.name}`, parameter.schema);
  }
  const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  expect(new Set(places).size, name).toBe(places.length);
}

function checkContent(name: string, content: Record<string, Json>): void {
  expect(Object.keys(content).length, name).toBeGreaterThan(0);
  for (const [type, { schema }] of Object.entries(content)) {
    expect(type, name).toMatch(/^[\w-]+\/[\w.+-]+$/);
    checkSchema(name, schema);
  }
}

/** JSON Schema 2020-12, as in OpenAPI 3.1; a keyword of 3.0 is the usual mistake. */
function checkSchema(name: string, schema: Json): void {
  expect(schema, name).toEqual(expect.any(Object));
  expect(schema, name).not.toHaveProperty('nullable');
  expect(typeof (schema.exclusiveMinimum ?? 0), name).toBe('number');
  for (const type of [schema.type ?? []].flat()) expect(TYPES, name).toContain(type);
  if (schema.required !== undefined) {
    expect(Object.keys(schema.properties), name).toEqual(expect.arrayContaining(schema.required));
  }
  if (schema.type === 'array') checkSchema(name, schema.items);
  for (const part of Object.values<Json>(schema.properties ?? {})) checkSchema(name, part);
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flat()) {
    if (part !== undefined) checkSchema(name, part);
  }
}

function followed(document: Json, reference: string): Json {
  expect(reference).toMatch(/^#\//);
  return reference
    .slice(2)
    .split('/')
    .reduce((part, step) => part?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

/** The OpenAPI documents as linters and generators see them, and the webhook's schema against real webhooks. */
import { type BodyForm, composeBody, createVerifier, type OrderEvent } from '@bellhop/partner';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { readText } from '../testing/deploy-files.ts';

const documents = ['back-office', 'partner', 'portal'] as const;
const read = (name: string) => readText(`docs/openapi/${name}.json`);

describe.each(documents)('docs/openapi/%s.json', (name) => {
  test('passes Redocly without errors', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      // The specification's endpoints end in a slash.
      rules: {
        'no-path-trailing-slash': 'off',
        'no-invalid-schema-examples': 'error',
        'no-invalid-media-type-examples': 'error',
      },
    });
    const found = await lintFromString({ source: read(name), config, absoluteRef: `${name}.json` });
    const errors = found.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('passes Spectral without errors', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({
      extends: [rulesets.oas],
      // Redocly has checked the examples above: once each, and not once for every operation that refers to them.
      rules: { 'oas3-valid-media-example': 'off' },
    } as spectral.RulesetDefinition);
    const found = await linter.run(JSON.parse(read(name)));
    const errors = found.filter(({ severity }) => severity === 0);
    expect(errors.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([]);
  });

  test('describes the refusals of every operation', () => {
    const { paths } = JSON.parse(read(name));
    for (const [path, item] of Object.entries<object>(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (typeof operation !== 'object') continue;
        const at = `${method} ${path}`;
        expect(operation, at).toMatchObject({
          operationId: expect.stringMatching(/^[a-z]\w+$/),
          summary: expect.any(String),
          tags: [expect.any(String)],
        });
        const refusals = Object.keys(operation.responses).filter((status) => /^4/.test(status));
        expect(refusals.length, at).toBeGreaterThan(0);
      }
    }
  });

  // openapi-generator aborts on it for Python, and writes a class for Java that does not compile.
  test('has no field that can only be null', () => {
    const found = propertiesOf(JSON.parse(read(name))).filter(([, { type }]) => type === 'null');
    expect(found.map(([at]) => at)).toEqual([]);
  });
});

describe.each(['back-office', 'partner'] as const)(
  'the webhook in docs/openapi/%s.json',
  (name) => {
    test.each<BodyForm>(['data', 'flat', 'both'])(
      'has exactly one webhook schema that matches a real body of the form %s',
      (form) => {
        const { schema } = webhookOf(name).requestBody.content['application/json'];
        const ajv = new Ajv2020({ strict: false });
        const order: OrderEvent = { type: 'created', partnerOrderId: 'o1' };
        const secure = {
          signature: 'a'.repeat(64),
          timestamp: 1_574_146_939,
          token: 'T'.repeat(50),
        };
        for (const event of [order, { ...order, agreementNumber: 'A-1', status: 'ok' }]) {
          const body = JSON.parse(composeBody(event, form, secure));
          const validate = ajv.compile(schema);
          expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
          const { signature: _left, ...unsigned } = body;
          expect(validate(unsigned)).toBe(false);
        }
      },
    );

    test('has examples of webhooks whose signatures verify', async () => {
      const { description, parameters, requestBody } = webhookOf(name);
      const [apiKey = ''] = /(?<=API key `)[^`]+/.exec(description) ?? [];
      const headers = Object.fromEntries(
        parameters.map(({ name, schema }: Json) => [name, schema.examples[0]]),
      );
      const now = () => Number(headers['webhook-timestamp']) * 1_000;
      const forms: Json[] = requestBody.content['application/json'].schema.oneOf;
      for (const { title, examples } of forms) {
        // The signature in the headers covers the body, and they are those of the form `data`.
        const isCovered = title === 'data';
        const verifier = createVerifier({ apiKey, now, requireHeaders: isCovered });
        const body = JSON.stringify(examples[0]);
        const verified = await verifier.verify(body, isCovered ? headers : {});
        expect([title, verified]).toMatchObject([title, { ok: true }]);
      }
    });
  },
);

// biome-ignore lint/suspicious/noExplicitAny: the tests look into any part of a document.
type Json = any;

function webhookOf(name: string): Json {
  const { webhooks, components } = JSON.parse(read(name));
  expect(webhooks.orderChange).toEqual({ $ref: '#/components/pathItems/orderChange' });
  return components.pathItems.orderChange.post;
}

/** The schema of every field in the document, with its place. */
function propertiesOf(part: Json, at = ''): [string, Json][] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries<Json>(part).flatMap(([name, value]) => [
    ...(at.endsWith('/properties') ? [[`${at}/${name}`, value] as [string, Json]] : []),
    ...propertiesOf(value, `${at}/${name}`),
  ]);
}

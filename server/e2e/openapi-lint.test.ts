/** The OpenAPI documents as linters see them, and the webhook's schema against real webhooks. */
import { type BodyForm, composeBody, type OrderEvent } from '@bellhop/partner';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { readText } from '../testing/deploy-files.ts';

const documents = ['back-office', 'partner'] as const;
const read = (name: string) => readText(`docs/openapi/${name}.json`);

describe.each(documents)('docs/openapi/%s.json', (name) => {
  test('passes Redocly without errors', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      // The specification's endpoints end in a slash.
      rules: { 'no-path-trailing-slash': 'off' },
    });
    const found = await lintFromString({ source: read(name), config, absoluteRef: `${name}.json` });
    const errors = found.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('passes Spectral without errors', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({ extends: [rulesets.oas] } as spectral.RulesetDefinition);
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

  test.each<BodyForm>(['data', 'flat', 'both'])(
    'has exactly one webhook schema that matches a real body of the form %s',
    (form) => {
      const { webhooks } = JSON.parse(read(name));
      const { schema } = webhooks.orderChange.post.requestBody.content['application/json'];
      const ajv = new Ajv2020({ strict: false });
      const order: OrderEvent = { type: 'created', partnerOrderId: 'o1' };
      const secure = { signature: 'a'.repeat(64), timestamp: 1_574_146_939, token: 'T'.repeat(50) };
      for (const event of [order, { ...order, agreementNumber: 'A-1', status: 'ok' }]) {
        const body = JSON.parse(composeBody(event, form, secure));
        const validate = ajv.compile(schema);
        expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
        const { signature: _left, ...unsigned } = body;
        expect(validate(unsigned)).toBe(false);
      }
    },
  );
});

import { expect, test } from 'vitest';
import backOffice from '../../../../docs/openapi/back-office.json' with { type: 'json' };
import partner from '../../../../docs/openapi/partner.json' with { type: 'json' };
import { type Document, groupsOf } from './openapi.ts';
import { operationAsCurl } from './operation-curl.ts';

const commands = (json: unknown) =>
  groupsOf(json as Document)
    .flatMap(({ operations }) => operations)
    .filter(({ isWebhook }) => !isWebhook)
    .map((operation) => operationAsCurl(json as Document, operation, 'https://bellhop.example'));

test('every operation of the back office signs in with a variable', () => {
  const all = commands(backOffice);
  expect(all.length).toBeGreaterThan(20);
  for (const command of all) {
    expect(command).toMatch(/^curl (-X [A-Z]+ )?['"]https:\/\/bellhop\.example\/[^{]*['"] \\\n/);
    expect(command).toContain('-H "Authorization: Bearer $BELLHOP_TOKEN"');
  }
  expect(all).toContainEqual(
    expect.stringMatching(
      /^curl -X PUT "https:\/\/bellhop\.example\/support\/v1\/\$ENVIRONMENT\/keys\/\$KEY_ID\/endpoints" \\\n(.*\\\n)* {2}--data-raw '\{"endpoint"/,
    ),
  );
});

test("a partner's call uses its key, and invents no body", () => {
  const all = commands(partner);
  expect(all).toHaveLength(2 * 43);
  for (const command of all) {
    // The first of the document's servers, which is the sandbox.
    expect(command).toMatch(/^curl (-X POST )?'http:\/\/127\.0\.0\.1:8081\/api\//);
    expect(command).toContain('-u "$BELLHOP_KEY_ID:$BELLHOP_API_KEY"');
    expect(command).not.toMatch(/--data|Content-Type/);
  }
});

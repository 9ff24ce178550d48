/** The copies in docs/openapi/, for readers without a running Bellhop. */
import { expect, test } from 'vitest';
import { readText } from '../testing/deploy-files.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();

test.each([
  ['back-office', 'backOffice', '/openapi.json'],
  ['partner', 'backOffice', '/openapi/partner.json'],
  ['portal', 'portal', '/openapi.json'],
] as const)(
  'docs/openapi/%s.json matches what %s%s serves (if not: npm run openapi)',
  async (...[name, listener, path]) => {
    const reply = await fetch(bellhop.addresses[listener] + path);
    const { servers, ...served } = (await reply.json()) as { servers: object[] };
    const { servers: _, ...kept } = JSON.parse(readText(`docs/openapi/${name}.json`));
    expect(kept).toEqual(served);
  },
);

test('the partner API is described with the addresses that it has, the sandbox first', async () => {
  const { backOffice, sandbox, production } = bellhop.addresses;
  const reply = await fetch(`${backOffice}/openapi/partner.json`);
  expect(await reply.json()).toMatchObject({
    servers: [
      { url: sandbox, description: 'Sandbox' },
      { url: production, description: 'Production' },
    ],
  });
  expect(JSON.parse(readText('docs/openapi/partner.json')).servers).toEqual([
    { url: 'http://127.0.0.1:8081', description: 'Sandbox' },
    { url: 'http://127.0.0.1:8080', description: 'Production' },
  ]);
});

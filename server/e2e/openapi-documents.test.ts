/** The copies in docs/openapi/, for readers without a running Bellhop. */
import { expect, test } from 'vitest';
import { readText } from '../testing/deploy-files.ts';
import { sharedBellhop } from './shared-bellhop.ts';

const bellhop = sharedBellhop();

test.each([
  ['back-office', '/openapi.json'],
  ['partner', '/openapi/partner.json'],
])('docs/openapi/%s.json matches what %s serves (if not: npm run openapi)', async (name, path) => {
  const reply = await fetch(bellhop.addresses.backOffice + path);
  expect(JSON.parse(readText(`docs/openapi/${name}.json`))).toEqual(await reply.json());
});

/** The types of the back office's API, as a generator reads them from docs/openapi/. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';

const DOCUMENT = new URL('../docs/openapi/back-office.json', import.meta.url);
export const TYPES = fileURLToPath(new URL('src/back-office.gen.ts', import.meta.url));

const HEADING =
  '/** Generated from docs/openapi/back-office.json by `npm run openapi`. Do not edit it. */\n\n';

export async function generateTypes(): Promise<string> {
  const document = await readFile(DOCUMENT, 'utf8');
  const nodes = await openapiTypescript(document, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A default is what the server assumes, so callers may leave the field out.
    defaultNonNullable: false,
  });
  return HEADING + astToString(nodes);
}

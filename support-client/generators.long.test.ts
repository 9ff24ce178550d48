/** Two generators of different makes read the OpenAPI documents, and a program compiles with each. */
import { execFile } from 'node:child_process';
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSource } from 'oazapfts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support.ts';

const here = import.meta.dirname;
const root = join(here, '..');
const TSC = join(root, 'node_modules', '.bin', 'tsc');

test('a program compiles with the types of openapi-typescript', async () => {
  const document = await readFile(join(root, 'docs', 'openapi', 'back-office.json'), 'utf8');
  const nodes = await openapiTypescript(document, {
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // A default is what the server assumes, so callers may leave the field out.
    defaultNonNullable: false,
  });
  await compile('by-openapi-typescript.ts', { 'back-office.ts': astToString(nodes) });
});

test('a program compiles with the client of oazapfts', async () => {
  const generate = (name: string) => generateSource(join(root, 'docs', 'openapi', name), {});
  await compile('by-oazapfts.ts', {
    'back-office.ts': await generate('back-office.json'),
    'partner.ts': await generate('partner.json'),
  });
});

async function compile(program: string, generated: Record<string, string>): Promise<void> {
  const folder = await temporaryFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await copyFile(join(here, 'programs', program), join(folder, program));
  for (const [name, source] of Object.entries(generated)) {
    await writeFile(join(folder, name), source);
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  };
  const config = { compilerOptions, files: [program] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const compiled = await promisify(execFile)(TSC, ['-p', folder], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
}

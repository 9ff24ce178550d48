/**
 * `npm run openapi`: starts a Bellhop, writes the documents that it serves to docs/openapi/, and
 * generates the client's types from them. Run it after every change of a route or a schema.
 *
 * The types are written by types.ts and not by openapi-typescript, which a test keeps working for others: its 7.13.0 writes
 * 10,423 lines for both documents instead of 2,198, and leaves out the descriptions of nullable fields, 74 in the back
 * office alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ready, serve } from '../kit/bellhop.ts';
import { generatedFiles } from './types.ts';

const root = join(import.meta.dirname, '..');
const documents = join(root, 'docs', 'openapi');
const programs = join(root, 'node_modules', '.bin');

const dataDir = await mkdtemp(join(tmpdir(), 'bellhop-openapi-'));
// The document for partners names the usual ports of the environments, which this process does not serve.
const server = serve({
  BELLHOP_BACK_OFFICE_PORT: '0',
  BELLHOP_PORTAL_PORT: '0',
  BELLHOP_DATA_DIR: dataDir,
  BELLHOP_ROLES: 'back-office,portal',
  BELLHOP_DEMO: 'off',
});
try {
  const { backOffice, portal } = await ready(server);
  await copy(`${backOffice}/openapi.json`, 'back-office.json');
  await copy(`${backOffice}/openapi/partner.json`, 'partner.json');
  await copy(`${portal}/openapi.json`, 'portal.json');
} finally {
  await server.end();
  await rm(dataDir, { recursive: true });
}
await once(spawn(join(programs, 'biome'), ['format', '--write', documents]), 'exit');
for (const { file, text } of await generatedFiles()) await writeFile(file, text);

async function copy(address: string, name: string): Promise<void> {
  const reply = await fetch(address);
  await writeFile(join(documents, name), `${JSON.stringify(await reply.json(), null, 2)}\n`);
}

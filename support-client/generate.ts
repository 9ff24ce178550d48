/**
 * `npm run openapi`: starts a Bellhop, writes the documents that it serves to docs/openapi/, and
 * generates the client's types from them. Run it after every change of a route or a schema.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FREE_PORTS, ready, serve } from '../kit/bellhop.ts';
import { generatedFiles } from './types.ts';

const root = join(import.meta.dirname, '..');
const documents = join(root, 'docs', 'openapi');
const programs = join(root, 'node_modules', '.bin');

const dataDir = await mkdtemp(join(tmpdir(), 'bellhop-openapi-'));
const server = serve({
  ...FREE_PORTS,
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

/**
 * `npm run openapi`: starts a Bellhop, writes the documents that it serves to docs/openapi/, and
 * generates the client's types from them. Run it after every change of a route or a schema.
 *
 * The types are written by types.ts and not by openapi-typescript, which a test keeps working for others: its 7.13.0 writes
 * 10,423 lines for both documents instead of 2,425, and leaves out the descriptions of nullable fields, 74 in the back
 * office alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { generatedFiles } from './types.ts';

const root = join(import.meta.dirname, '..');
const documents = join(root, 'docs', 'openapi');
const programs = join(root, 'node_modules', '.bin');

const dataDir = await mkdtemp(join(tmpdir(), 'bellhop-openapi-'));
const server = spawn(process.execPath, [join(root, 'server', 'bin', 'bellhop.js'), 'serve'], {
  env: {
    PATH: process.env.PATH,
    BELLHOP_DATA_DIR: dataDir,
    BELLHOP_ROLES: 'back-office,portal',
    BELLHOP_BACK_OFFICE_PORT: '0',
    BELLHOP_PORTAL_PORT: '0',
    BELLHOP_DEMO: 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(server, 'exit');
try {
  const { backOffice, portal } = await Promise.race([
    addressesOf(server.stdout),
    ended.then(failed),
  ]);
  await copy(`${backOffice}/openapi.json`, 'back-office.json');
  await copy(`${backOffice}/openapi/partner.json`, 'partner.json');
  await copy(`${portal}/openapi.json`, 'portal.json');
} finally {
  server.kill();
  await ended;
  await rm(dataDir, { recursive: true });
}
await once(spawn(join(programs, 'biome'), ['format', '--write', documents]), 'exit');
for (const { file, text } of await generatedFiles()) await writeFile(file, text);

async function addressesOf(
  output: NodeJS.ReadableStream,
): Promise<{ backOffice: string; portal: string }> {
  for await (const line of createInterface({ input: output })) {
    if (line.startsWith('ready ')) return JSON.parse(line.slice(6));
  }
  return failed();
}

function failed(): never {
  throw new Error('Bellhop did not start; its log above says why.');
}

async function copy(address: string, name: string): Promise<void> {
  const reply = await fetch(address);
  await writeFile(join(documents, name), `${JSON.stringify(await reply.json(), null, 2)}\n`);
}

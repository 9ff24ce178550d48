/**
 * The API reference of a site: our page and Scalar's script. Scalar's plugin for Fastify carries the script as a bundle and
 * needs 28 packages; the library that it is built from would bring 271, and 290 MB.
 */
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';
import type { Site } from './pages.ts';

const OWN = join(import.meta.dirname, 'api');
const DOCUMENTS = /^documents\.(\w+)\.js$/;

export async function writeReference(site: Site, outDir: string): Promise<void> {
  const folder = join(outDir, 'api');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(OWN)) {
    const [, readers] = DOCUMENTS.exec(name) ?? [];
    if (readers !== undefined && readers !== site) continue;
    await copyFile(join(OWN, name), join(folder, readers ? 'documents.js' : name));
  }
  await writeFile(join(folder, 'scalar.js'), await scalarScript());
}

async function scalarScript(): Promise<string> {
  const app = Fastify();
  try {
    await app.register(scalar, { routePrefix: '/reference', configuration: { content: {} } });
    const { statusCode, body } = await app.inject('/reference/js/scalar.js');
    if (statusCode !== 200) throw new Error(`Scalar's plugin answered ${statusCode}.`);
    return body;
  } finally {
    await app.close();
  }
}

/** The built pages are part of the repository, so they must match their sources. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';

const root = join(import.meta.dirname, '..', '..');
const VITE = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const built = ['console', 'portal'];

test.for(built)('%s/dist matches its sources; if not, build it with npm run', async (name) => {
  const folder = join(root, name);
  const outDir = await temporaryFolder();
  // In a process of its own: vitest's NODE_ENV would select React's development build.
  const { NODE_ENV: _, ...env } = process.env;
  const args = [VITE, 'build', folder, '--outDir', outDir, '--emptyOutDir'];
  await promisify(execFile)(process.execPath, args, { env });
  const [fresh, kept] = await Promise.all([outDir, join(folder, 'dist')].map(contents));
  expect(Object.keys(kept ?? {})).toEqual(Object.keys(fresh ?? {}));
  expect(kept).toEqual(fresh);
});

test.for(built)(
  'the compressed files of %s/dist hold what the files beside them do',
  async (of) => {
    const dist = join(root, of, 'dist');
    const names = (await readdir(dist, { recursive: true })).filter((name) =>
      /\.(br|gz)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const packed = await readFile(join(dist, name));
      const plain = name.endsWith('.br') ? brotliDecompressSync(packed) : gunzipSync(packed);
      const beside = await readFile(join(dist, name.replace(/\.\w+$/, '')));
      expect(plain.equals(beside), name).toBe(true);
    }
  },
);

/** What every program that calls the back office must name. */
const ofBackOffice = ['/support/v1', '/orders/v1', '/console/', 'x-bellhop-console'];

test('partners load nothing that calls the back office', async () => {
  const [ofConsole = '', ofPortal = ''] = await Promise.all(
    built.map(async (name) => Object.values(await contents(join(root, name, 'dist'))).join('\n')),
  );
  expect(ofBackOffice.filter((name) => ofConsole.includes(name))).toEqual(ofBackOffice);
  expect(ofBackOffice.filter((name) => ofPortal.includes(name))).toEqual([]);
});

/** Every file under the folder by its path, in order. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return Object.fromEntries(files.map((file, at) => [file.slice(folder.length), texts[at] ?? '']));
}

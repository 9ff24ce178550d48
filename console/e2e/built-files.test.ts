/** The built console is part of the repository, so it must match its sources. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';

const consoleFolder = join(import.meta.dirname, '..');
const VITE = join(consoleFolder, '..', 'node_modules', 'vite', 'bin', 'vite.js');

test('console/dist matches its sources; if not, run npm run build:console', async () => {
  const outDir = await temporaryFolder();
  // In a process of its own: vitest's NODE_ENV would select React's development build.
  const { NODE_ENV: _, ...env } = process.env;
  const args = [VITE, 'build', consoleFolder, '--outDir', outDir, '--emptyOutDir'];
  await promisify(execFile)(process.execPath, args, { env });
  const [built, kept] = await Promise.all([outDir, join(consoleFolder, 'dist')].map(contents));
  expect(Object.keys(kept ?? {})).toEqual(Object.keys(built ?? {}));
  expect(kept).toEqual(built);
});

test('the compressed files hold what the files beside them do', async () => {
  const dist = join(consoleFolder, 'dist');
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

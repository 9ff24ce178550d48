/** The built pages: not committed, compressed as they are, and each for its own people. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { stalePages } from '../../packaging/pages.ts';

const root = join(import.meta.dirname, '..', '..');
const built = ['console', 'portal'];

test('no built file is committed', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  expect(tracked.length).toBeGreaterThan(1_000);
  expect(tracked.filter((file) => /(?:^|\/)dist\//.test(file))).toEqual([]);
});

test.for(built)('a source of %s that is newer than its build makes that stale', async (name) => {
  expect(await stalePages()).not.toContain(name);
  const page = join(root, name, 'dist', 'index.html');
  const { atime, mtime } = await stat(page);
  onTestFinished(() => utimes(page, atime, mtime));
  await utimes(page, atime, new Date('2020-01-01'));
  expect(await stalePages()).toContain(name);
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

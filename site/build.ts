/**
 * Both documentation sites in site/dist, each with its API reference, compressed as the listeners send
 * it. packaging/pages.ts calls it. The result is not committed: a changed word changes the names of dozens of
 * files, 5 MB in all, while building takes ten seconds.
 */
import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { contentsOf } from './contents.ts';
import { pagesOf, repository, type Site, sites } from './pages.ts';
import { writeReference } from './reference.ts';

const VITEPRESS = join(repository, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
/** Smaller files fit into one packet either way. */
const SMALLEST_BYTES = 1_400;
const COMPRESSIBLE = '**/*.{js,css,html,svg,json}';

const run = promisify(execFile);
const gzip = promisify(gzipWithCallback);

export async function buildSites(): Promise<void> {
  await Promise.all(sites.map(buildSite));
}

/** Whether a page or the way it is built has changed since. */
export function areSitesStale(): boolean {
  const own = globSync(['*.ts', 'api/*', '.vitepress/**/*.{ts,css}'], { cwd: import.meta.dirname });
  const sources = [
    ...[...pagesOf('all').keys()].map((page) => join(repository, page)),
    ...own.map((name) => join(import.meta.dirname, name)),
  ];
  const changedMs = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  return sites.some((site) => {
    const built = statSync(join(import.meta.dirname, 'dist', site, 'index.html'), {
      throwIfNoEntry: false,
    });
    return built === undefined || built.mtimeMs < changedMs;
  });
}

async function buildSite(site: Site): Promise<void> {
  const outDir = join(import.meta.dirname, 'dist', site);
  await rm(outDir, { recursive: true, force: true });
  const env = { ...process.env, BELLHOP_SITE: site };
  await run(process.execPath, [VITEPRESS, 'build', import.meta.dirname], { env });
  await writeReference(site, outDir);
  await writeFile(join(outDir, 'pages.json'), JSON.stringify(contentsOf(site)));
  for (const name of globSync(COMPRESSIBLE, { cwd: outDir })) await compress(join(outDir, name));
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length >= SMALLEST_BYTES) await writeFile(`${file}.gz`, await gzip(content));
}

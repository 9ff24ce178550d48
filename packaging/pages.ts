/**
 * What people see in a browser: the console, the portal and the documentation. None of it is committed. `npm ci` builds
 * it at its end, and `npm start` and the tests build what has changed since. An installation without development
 * dependencies has no bundler, and pages that cannot be built must not keep anyone from the server, so the command never
 * fails.
 */
import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const VITE = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
/** Of the console and of the portal, which share most. */
const SOURCES = [
  '{console,portal}/{src,public}/**/*.*',
  '{console,portal}/*.{ts,html}',
  '{rules,support-client,partner}/src/**/*.ts',
];

const pages = {
  console: { isStale: () => isBundleStale('console'), build: () => bundle('console') },
  portal: { isStale: () => isBundleStale('portal'), build: () => bundle('portal') },
  // Not at once: it needs packages that an installation without development dependencies lacks.
  documentation: {
    isStale: async () => (await import('../site/build.ts')).areSitesStale(),
    build: async () => (await import('../site/build.ts')).buildSites(),
  },
};
type Name = keyof typeof pages;
const names = Object.keys(pages) as Name[];

export async function stalePages(): Promise<Name[]> {
  const areStale = await Promise.all(names.map((name) => pages[name].isStale()));
  return names.filter((_, at) => areStale[at]);
}

/** Side by side. */
export async function buildPages(which: readonly Name[]): Promise<void> {
  await Promise.all(which.map((name) => pages[name].build()));
}

/** Missing, or older than one of its sources. */
function isBundleStale(name: 'console' | 'portal'): boolean {
  const built = statSync(join(root, name, 'dist', 'index.html'), { throwIfNoEntry: false });
  if (!built) return true;
  const sources = globSync(SOURCES, { cwd: root });
  return sources.some((file) => statSync(join(root, file)).mtimeMs > built.mtimeMs);
}

async function bundle(name: 'console' | 'portal'): Promise<void> {
  // With NODE_ENV=test or development, React's development build would be taken.
  const { NODE_ENV: _, ...env } = process.env;
  await promisify(execFile)(process.execPath, [VITE, 'build', join(root, name)], { env });
}

/** In one line, with what is the matter. */
async function main(onlyStale: boolean): Promise<void> {
  const startedMs = performance.now();
  try {
    const which = onlyStale ? await stalePages() : names;
    if (which.length === 0) return;
    const list = new Intl.ListFormat('en').format(which);
    const why = onlyStale ? `The build of the ${list} is missing or older than its sources. ` : '';
    process.stdout.write(`${why}Building the ${list} …`);
    await buildPages(which);
    console.log(` done in ${Math.round((performance.now() - startedMs) / 1_000)} s.`);
  } catch (error) {
    const [reason] = String((error as Error).message).split('\n');
    console.log(` failed (${reason}). "npm run build" tries again.`);
  }
}

if (import.meta.main) await main(process.argv.includes('--stale'));

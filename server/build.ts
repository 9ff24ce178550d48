/**
 * `npm run build:server`: the package `bellhop` as it is published, in server/dist (or the folder named).
 * Node does not run TypeScript inside node_modules, so the types are stripped here: with the same
 * function that Node uses in the repository, which keeps every line and column where it was. The folders
 * are those of the repository, so no path in the code differs. Publish the folder: `npm publish ./server/dist`.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { publishedFields, readManifest, writeManifest } from '../packaging/manifest.ts';
import { buildPages, stalePages } from '../packaging/pages.ts';
import { FILES } from './src/cli/files.ts';

const root = join(import.meta.dirname, '..');
const out = process.argv[2] ?? join(import.meta.dirname, 'dist');
/** In the tarball itself, so that it installs without them being in a registry, and always in the right version. */
const BUNDLED = ['@bellhop/partner', '@bellhop/rules', '@bellhop/support-client'];

rmSync(out, { recursive: true, force: true });
compile('server/src', 'server/src');
writeText('server/bin/bellhop.js', withJsImports(readText('server/bin/bellhop.js')));
await buildPages(await stalePages());
for (const pages of ['console', 'portal', 'site']) {
  cpSync(join(root, pages, 'dist'), join(out, pages, 'dist'), { recursive: true });
}
copyFilesForOperators();
copyFileSync(join(root, 'server', 'README.md'), join(out, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
bundlePartner();
bundle('rules');
bundle('support-client');

const { name, version, description, license, type, engines, keywords, dependencies } =
  readManifest('server');
writeManifest(out, {
  ...{ name, version, description, license, type, engines, keywords },
  ...publishedFields('server'),
  bin: { bellhop: 'server/bin/bellhop.js' },
  files: ['server', 'console', 'portal', 'site', 'deploy', 'docs'],
  dependencies,
  bundleDependencies: BUNDLED,
});
// The code asks for its version here (version.ts).
writeManifest(join(out, 'server'), { name, version, type, private: true });

function compile(from: string, to: string): void {
  for (const file of globSync('**/*.ts', { cwd: join(root, from) })) {
    if (file.endsWith('.test.ts')) continue;
    const code = stripTypeScriptTypes(readText(join(from, file)));
    writeText(join(to, file.replace(/\.ts$/, '.js')), withJsImports(code));
  }
}

/** For `bellhop files`. */
function copyFilesForOperators(): void {
  for (const file of globSync(FILES, { cwd: root })) {
    if (!statSync(join(root, file)).isFile()) continue;
    mkdirSync(dirname(join(out, file)), { recursive: true });
    copyFileSync(join(root, file), join(out, file));
  }
}

/** Imports, dynamic imports and the files of threads and processes: every relative path that ends in .ts. */
function withJsImports(code: string): string {
  return code.replace(/(['"])(\.\.?\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
}

/** As partners get it. */
function bundlePartner(): void {
  const folder = join(out, 'node_modules', '@bellhop', 'partner');
  execFileSync(process.execPath, [join(root, 'partner', 'build.ts'), folder], { stdio: 'inherit' });
}

function bundle(name: 'rules' | 'support-client'): void {
  const { exports, devDependencies, ...about } = readManifest(name);
  compile(`${name}/src`, `node_modules/@bellhop/${name}/src`);
  const entries = Object.entries(exports as Record<string, string>);
  writeManifest(join(out, 'node_modules', '@bellhop', name), {
    ...about,
    exports: Object.fromEntries(
      entries.map(([entry, file]) => [entry, file.replace(/\.ts$/, '.js')]),
    ),
  });
}

function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function writeText(file: string, text: string): void {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), text, { mode: file.includes('/bin/') ? 0o755 : 0o644 });
}

/**
 * `npm run build:partner`: the package as it is published, in partner/dist (or the folder named).
 * Inside the repository everyone imports the TypeScript sources; only the published package.json,
 * written here, points to JavaScript. Publish the folder: `npm publish ./partner/dist`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedFields, readManifest, writeManifest } from '../packaging/manifest.ts';

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, 'dist');
const tsc = join(here, '..', 'node_modules', '.bin', 'tsc');

rmSync(out, { recursive: true, force: true });
// The main entry must not use Node, so it is first checked without Node's types.
execFileSync(tsc, ['-p', join(here, 'tsconfig.web.json')], { stdio: 'inherit' });
execFileSync(tsc, ['-p', join(here, 'tsconfig.build.json'), '--outDir', out], { stdio: 'inherit' });
// tsc rewrites the imports of the JavaScript only, and compilers before version 5 need them in the types too.
for (const file of globSync(join(out, '*.d.ts'))) {
  const types = readFileSync(file, 'utf8');
  writeFileSync(file, types.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
copyFileSync(join(here, 'README.md'), join(out, 'README.md'));
copyFileSync(join(here, '..', 'LICENSE'), join(out, 'LICENSE'));

const { private: _, exports: __, devDependencies: ___, ...about } = readManifest('partner');
writeManifest(out, {
  ...about,
  ...publishedFields('partner'),
  sideEffects: false,
  exports: { '.': entry('index'), './node': entry('node-signer') },
  files: ['*.js', '*.d.ts'],
});

function entry(name: string): Record<string, string> {
  return { types: `./${name}.d.ts`, default: `./${name}.js` };
}

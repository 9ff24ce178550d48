/**
 * `npm run build:partner`: the package as it is published, in partner/dist (or the folder named): ES modules
 * and CommonJS side by side, each with its types. Inside the repository everyone imports the TypeScript
 * sources; only the published package.json, written here, points to JavaScript. Publish the folder:
 * `npm publish ./partner/dist`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { publishedFields, readManifest, writeManifest } from '../packaging/manifest.ts';

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, 'dist');
const commonJs = join(out, 'commonjs');
const PROGRAM = 'bellhop-partner.js';
const RELATIVE_TYPES = /((?:from |import\()(['"])\.\.?\/[\w/.-]+)\.ts\2/g;

rmSync(out, { recursive: true, force: true });
// The main entry must not use Node, so it is first checked without Node's types.
compile('tsconfig.web.json');
compile('tsconfig.build.json', '--outDir', out);
compile('tsconfig.commonjs.json', '--outDir', commonJs);
for (const file of globSync('**/*.d.ts', { cwd: out })) {
  const types = readFileSync(join(out, file), 'utf8')
    // Only compilers from 5.7 on know the type parameter. No exported function mentions it.
    .replaceAll('Uint8Array<ArrayBuffer>', 'Uint8Array');
  // tsc rewrites the imports of the JavaScript only, but compilers refuse .ts in the types of a package.
  writeFileSync(join(out, file), types.replace(RELATIVE_TYPES, '$1.js$2'));
  writeFileSync(
    join(out, file.replace(/\.ts$/, '.cts')),
    types.replace(RELATIVE_TYPES, '$1.cjs$2'),
  );
}
for (const file of globSync('**/*.js', { cwd: commonJs })) {
  const code = readFileSync(join(commonJs, file), 'utf8').replace(
    /(require\((["'])\.\.?\/[\w/.-]+)\.js\2\)/g,
    '$1.cjs$2)',
  );
  writeFileSync(join(out, file.replace(/\.js$/, '.cjs')), code);
}
rmSync(commonJs, { recursive: true });
mkdirSync(join(out, 'bin'));
writeFileSync(
  join(out, 'bin', PROGRAM),
  readFileSync(join(here, 'bin', PROGRAM), 'utf8').replace(/'\.\.\/src\/(.+)\.ts'/, "'../$1.js'"),
  { mode: 0o755 },
);
copyFileSync(join(here, 'README.md'), join(out, 'README.md'));
copyFileSync(join(here, '..', 'LICENSE'), join(out, 'LICENSE'));

const { private: _, exports: sources, devDependencies: __, ...about } = readManifest('partner');
const entries = Object.entries(sources as Record<string, string>);
writeManifest(out, {
  ...about,
  ...publishedFields('partner'),
  sideEffects: false,
  exports: Object.fromEntries(
    entries.map(([entry, source]) => [
      entry,
      published(relative('src', source).replace(/\.ts$/, '')),
    ]),
  ),
  files: ['**/*.js', '**/*.cjs', '**/*.d.ts', '**/*.d.cts'],
});

function compile(project: string, ...options: string[]): void {
  const tsc = join(here, '..', 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(here, project), ...options], { stdio: 'inherit' });
}

/** Each kind of module has types of its own: a compiler takes `.d.ts` here for the types of an ES module. */
function published(name: string): Record<string, Record<string, string>> {
  return {
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  };
}

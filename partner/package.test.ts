/**
 * The package as partners get it: built, packed, installed from the tarball into an empty folder and
 * used there, on every runtime that this machine has.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathFolders } from '../test/provide/find.ts';
import { temporaryFolder } from '../test/support.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');
const PUBLISHED = /\.(js|cjs|d\.ts|d\.cts)$/;
const NPM_QUIETLY = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];

let built: string;
let consumer: string;

beforeAll(async () => {
  built = join(await temporaryFolder(), 'dist');
  await run(process.execPath, [join(import.meta.dirname, 'build.ts'), built]);
  consumer = await temporaryFolder();
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', consumer]);
  const tarball = stdout.trim().split('\n').at(-1) as string;
  await writeFile(join(consumer, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', ...NPM_QUIETLY, join(consumer, tarball)], { cwd: consumer });
  for (const program of ['consumer.js', 'consumer.cjs']) {
    await cp(join(import.meta.dirname, 'testing', program), join(consumer, program));
  }
}, 120_000);

describe('the published package', () => {
  test('contains only JavaScript and types, and has no dependencies', async () => {
    const installed = join(consumer, 'node_modules', '@bellhop', 'partner');
    const files = await readdir(installed);
    expect(files.filter((file) => !PUBLISHED.test(file)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    expect(await readdir(join(consumer, 'node_modules', '@bellhop'))).toEqual(['partner']);
  });

  test('imports only its own files of the same kind, except for node:crypto in the entry for Node', async () => {
    const foreign = new Set<string>();
    for (const file of await readdir(built)) {
      if (!PUBLISHED.test(file) || /^node-signer\.c?js$/.test(file)) continue;
      const own = /\.c(js|ts)$/.test(file) ? /^\.\/[\w-]+\.cjs$/ : /^\.\/[\w-]+\.js$/;
      const code = await readFile(join(built, file), 'utf8');
      for (const [, name = ''] of code.matchAll(/\b(?:from|import|require) ?\(?['"]([^'"]+)/g)) {
        if (!own.test(name)) foreign.add(`${file}: ${name}`);
      }
    }
    expect([...foreign]).toEqual([]);
  });

  const tsc = join(modules, 'typescript', 'bin', 'tsc');
  const oldTsc = join(import.meta.dirname, 'node_modules', 'typescript', 'bin', 'tsc');
  const onNode = { lib: ['es2022'], types: ['node'] };
  const inBundle = { lib: ['es2022', 'dom'], types: [], moduleResolution: 'bundler' };
  test.each([
    ['with TypeScript 5.4 on Node 20.10', oldTsc, { ...onNode, module: 'node16' }],
    ['on Node', tsc, { ...onNode, module: 'nodenext' }],
    ['with a bundler and the DOM’s types', tsc, { ...inBundle, module: 'esnext' }],
  ])(
    'type-checks in a consumer %s',
    async (name, compiler, options) => {
      const folder = join(consumer, name.replace(/\W/g, ''));
      await mkdir(join(folder, 'types'), { recursive: true });
      const nodeTypes = compiler === oldTsc ? 'node-20.10-types' : join('@types', 'node');
      await symlink(join(modules, nodeTypes), join(folder, 'types', 'node'));
      const files = await writeUses(folder, options.types.length > 0);
      // The types of the package are checked as well, since skipLibCheck is not set.
      const compilerOptions = {
        ...options,
        target: 'es2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        typeRoots: [join(folder, 'types')],
      };
      const project = join(folder, 'tsconfig.json');
      await writeFile(project, JSON.stringify({ compilerOptions, files }));
      await run(process.execPath, [compiler, '-p', project]).catch(({ stdout, message }) => {
        // The compilers report on the standard output, which the message leaves out.
        throw new Error(stdout || message);
      });
    },
    120_000,
  );
});

/** The same program as an ES module and, for Node, as CommonJS; for Node also the samples of the README. */
async function writeUses(folder: string, forNode: boolean): Promise<string[]> {
  const uses = await readFile(join(import.meta.dirname, 'testing', 'consumer-types.ts'), 'utf8');
  const files = new Map([['uses.mts', uses]]);
  if (forNode) {
    files.set('uses.cts', uses);
    const readme = await readFile(join(import.meta.dirname, 'README.md'), 'utf8');
    const samples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)];
    expect(samples).not.toEqual([]);
    for (const [at, [, code = '']] of samples.entries()) files.set(`readme-${at + 1}.mts`, code);
  }
  for (const [file, code] of files) await writeFile(join(folder, file), code);
  return [...files.keys()];
}

/** The first such program that is not the repository's own; the pinned Node comes first on the PATH. */
function outside(program: string): string | undefined {
  return pathFolders()
    .filter((folder) => !folder.startsWith(root))
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Without the repository's own programs. */
const PATH = pathFolders()
  .filter((folder) => !folder.startsWith(root))
  .join(delimiter);

const nodes: [string, string | undefined][] = [
  ['the pinned Node', process.execPath],
  ['the Node of this machine', outside('node')],
];

describe('a webhook is verified on', () => {
  const runtimes: [string, string | undefined, string[]][] = [
    ...nodes.map(([name, program]): [string, string | undefined, string[]] => [name, program, []]),
    ['Deno', outside('deno'), ['run', '--no-remote']],
    ['Bun', outside('bun'), ['run']],
  ];
  for (const [name, program, args] of runtimes) {
    test.skipIf(!program)(program ? name : `${name}: not on this machine`, async () => {
      const { stdout } = await run(program as string, [...args, 'consumer.js'], {
        cwd: consumer,
        env: { ...process.env, PATH },
      });
      console.log(stdout.trim().split('\n').at(-1));
      expect(stdout).toContain('genuine ok, forged bad_signature, stale stale, repeated replayed');
      expect(stdout).toContain('the handler answers 200, 401, 400');
      expect(stdout).toContain('the client throws incorrect_credentials');
    });
  }
});

describe('every entry can be required and imported on', () => {
  for (const [name, program] of nodes) {
    test.skipIf(!program)(program ? name : `${name}: not on this machine`, async () => {
      const manifest = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'));
      const entries = Object.keys(manifest.exports).map((entry) =>
        entry.replace('.', '@bellhop/partner'),
      );
      const { stdout } = await run(program as string, ['consumer.cjs', ...entries], {
        cwd: consumer,
        env: { ...process.env, PATH },
      });
      expect(stdout.trim().split('\n')).toEqual([
        'genuine ok, forged bad_signature',
        ...entries.map((entry) => `${entry} exports the same either way: true`),
      ]);
    });
  }
});

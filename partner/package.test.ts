/**
 * The package as partners get it: built, packed, installed from the tarball into an empty folder and
 * used there, on every runtime that this machine has.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathFolders } from '../test/provide/find.ts';
import { temporaryFolder } from '../test/support.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
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
  await cp(join(import.meta.dirname, 'testing', 'consumer.js'), join(consumer, 'consumer.js'));
}, 120_000);

describe('the published package', () => {
  test('contains only JavaScript and types, and has no dependencies', async () => {
    const installed = join(consumer, 'node_modules', '@bellhop', 'partner');
    const files = await readdir(installed);
    expect(files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual([
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

  test('imports only its own files, except for node:crypto in the entry for Node', async () => {
    const imported = new Set<string>();
    for (const file of await readdir(built)) {
      if (!/\.(js|d\.ts)$/.test(file) || file === 'node-signer.js') continue;
      const code = await readFile(join(built, file), 'utf8');
      for (const [, name] of code.matchAll(/\b(?:from|import) ?\(?['"]([^'"]+)/g)) {
        imported.add(name as string);
      }
    }
    expect([...imported].filter((name) => !/^\.\/[\w-]+\.js$/.test(name))).toEqual([]);
  });

  test.each([
    ['with the DOM’s types', { lib: ['es2022', 'dom'], types: [] }],
    ['with Node’s types', { lib: ['es2022'], types: ['node'] }],
  ])('type-checks in a consumer %s', async (name, options) => {
    const folder = join(consumer, name.replace(/\W/g, ''));
    await mkdir(folder);
    await cp(join(import.meta.dirname, 'testing', 'consumer-types.ts'), join(folder, 'uses.ts'));
    const compilerOptions = {
      ...options,
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    const project = join(folder, 'tsconfig.json');
    await writeFile(project, JSON.stringify({ compilerOptions, files: ['uses.ts'] }));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    await expect(run(tsc, ['-p', project])).resolves.toMatchObject({ stdout: '' });
  });
});

/** The first such program that is not the repository's own; the pinned Node comes first on the PATH. */
function outside(program: string): string | undefined {
  return pathFolders()
    .filter((folder) => !folder.startsWith(root))
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

describe('a webhook is verified on', () => {
  const runtimes: [string, string | undefined, string[]][] = [
    ['the pinned Node', process.execPath, []],
    ['the Node of this machine', outside('node'), []],
    ['Deno', outside('deno'), ['run', '--no-remote']],
    ['Bun', outside('bun'), ['run']],
  ];
  for (const [name, program, args] of runtimes) {
    test.skipIf(!program)(program ? name : `${name}: not on this machine`, async () => {
      const PATH = pathFolders()
        .filter((folder) => !folder.startsWith(root))
        .join(delimiter);
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

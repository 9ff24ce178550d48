/**
 * The package as partners get it: built, packed, installed from the tarball into an empty folder and
 * used there, on every runtime that this machine has.
 */
import { type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { delimiter, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pathFolders } from '../kit/find.ts';
import { readManifest } from '../packaging/manifest.ts';
import { API_KEY, startPartnerReceiver } from '../server/e2e/broken-receivers.ts';
import { listening, temporaryFolder } from '../test/support.ts';
import { createNodeHandler, createTokenMaker, memoryTokenStore, signWebhook } from './src/index.ts';
import { linesFor } from './src/receiver-check/lines.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const modules = join(root, 'node_modules');
const BELLHOP = join(root, 'server', 'bin', 'bellhop.js');
const PUBLISHED = /\.(js|cjs|d\.ts|d\.cts)$/;
/** The texts of the receiver check also say where something comes from. */
const IMPORTS =
  /(?:^(?:import|export)\b[^;'"]*? from |^import |\b(?:import|require)\()['"]([^'"]+)/gm;
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
    const files = await filesIn(installed);
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
    expect(manifest.version).toBe(readManifest('partner').version);
    expect(await readdir(join(consumer, 'node_modules', '@bellhop'))).toEqual(['partner']);
  });

  test('imports only its own files of the same kind and, where it is for Node, what Node has', async () => {
    const foreign = new Set<string>();
    for (const file of (await filesIn(built)).filter((one) => PUBLISHED.test(one))) {
      const own = /\.c(js|ts)$/.test(file) ? /^\.\.?\/[\w/.-]+\.cjs$/ : /^\.\.?\/[\w/.-]+\.js$/;
      const isForNode = /^(node-signer\.|receiver-check\/|commands\/|bin\/)/.test(file);
      const code = await readFile(join(built, file), 'utf8');
      for (const [, name = ''] of code.matchAll(IMPORTS)) {
        const isNodes = isForNode && name.startsWith('node:');
        if (!own.test(name) && !isNodes) foreign.add(`${file}: ${name}`);
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

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

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

describe('the commands run on', () => {
  const receiver = () =>
    startReceiver(
      createNodeHandler({
        apiKey: API_KEY,
        tokenStore: memoryTokenStore(),
        requireHeaders: true,
        onEvent() {},
      }),
    );

  for (const [name, program] of nodes) {
    describe.skipIf(!program)(program ? name : `${name}: not on this machine`, () => {
      const command = (...args: string[]) => [
        join(consumer, 'node_modules', '@bellhop', 'partner', 'bin', 'bellhop-partner.js'),
        ...args,
      ];
      const env = { PATH, BELLHOP_API_KEY: API_KEY };
      const finish = (...args: string[]) => ended(program as string, command(...args), { env });

      test('check-receiver certifies a correct receiver in the words of the server', async () => {
        const url = await receiver();
        const own = await finish('check-receiver', url);
        expect(own).toMatchObject({ code: 0, stderr: '' });
        expect(own.stdout).toMatch(/\nPassed: all \d+ lines passed, in /);
        const servers = await ended(process.execPath, [BELLHOP, 'check-receiver', url], { env });
        expect(withoutTimes(own.stdout)).toBe(withoutTimes(servers.stdout));
      });

      test('check-receiver tells what is wrong with another one', async () => {
        const url = await startPartnerReceiver('ignores repeated tokens');
        const own = await finish('check-receiver', url, '--form', 'data', '--json');
        expect(own).toMatchObject({ code: 1, stderr: '' });
        expect(JSON.parse(own.stdout)).toMatchObject({
          verdict: 'failed',
          failed: 1,
          form: 'data',
        });
        const servers = await ended(
          process.execPath,
          [BELLHOP, 'check-receiver', url, '--form', 'data', '--json'],
          { env },
        );
        const lines = (stdout: string) => JSON.parse(withoutTimes(stdout)).lines;
        expect(lines(own.stdout)).toEqual(lines(servers.stdout));
      });

      test('listen verifies and prints webhooks until it is asked to stop', async () => {
        const child = spawn(program as string, command('listen', '--port', '0'), { env });
        onTestFinished(() => void child.kill('SIGKILL'));
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const next = async () => (await lines.next()).value as string;
        const [, url = ''] = /^Listening on (http\S+); Ctrl-C ends it\.$/.exec(await next()) ?? [];
        for (const [key, status, said] of [
          [API_KEY, 200, / {2}created {4}order-7 {2}verified {2}attempt 1 {3}answered 200$/],
          [
            'another',
            401,
            / {2}created {4}order-7 {2}refused: bad_signature \(.*\) {2}answered 401$/,
          ],
        ] as const) {
          const { body, headers } = await signedWebhook(key);
          const reply = await fetch(url, { method: 'POST', headers, body });
          expect(reply.status).toBe(status);
          expect(await next()).toMatch(said);
        }
        child.kill('SIGTERM');
        expect(await once(child, 'exit')).toEqual([0, null]);
      });

      test('bad usage exits with 2 and one sentence', async () => {
        for (const [args, sentence] of [
          [[], /^The word after "npx @bellhop\/partner" must be check-receiver or listen\. /],
          [['check-receiver', 'localhost:9000'], /^The URL has no scheme\. /],
          [
            ['listen', '--reply', '700'],
            /^--reply must be a whole number from 200 to 599, not "700"/,
          ],
        ] as const) {
          const { code, stdout, stderr } = await finish(...args);
          expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
          expect(stderr).toMatch(sentence);
          expect(stderr).toMatch(/^.*\.\n$/);
        }
      });
    });
  }

  test('npx, which finds the one program of the package', async () => {
    const npx = outside('npx') ?? 'npx';
    const env = { ...process.env, PATH };
    const { code, stdout } = await ended(
      npx,
      ['--offline', '@bellhop/partner', 'check-receiver', '--list'],
      { cwd: consumer, env },
    );
    expect(code).toBe(0);
    for (const { name } of linesFor('both')) expect(stdout).toContain(`\n${name} `);
  });
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function ended(program: string, args: string[], options: ExecFileOptions): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

async function startReceiver(listener: RequestListener): Promise<string> {
  const { url } = await listening(createServer(listener));
  return `${url}/hook`;
}

function signedWebhook(key: string) {
  return signWebhook({
    webhookId: 'event-7',
    event: { type: 'created', partnerOrderId: 'order-7' },
    form: 'data',
    timestamp: Math.floor(Date.now() / 1_000),
    token: createTokenMaker()(),
    bodyKey: key,
    headerKeys: [key],
  });
}

function withoutTimes(text: string): string {
  return text.replace(/\b[\d.]+ (m?s)\b/g, '… $1');
}

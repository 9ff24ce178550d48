/** The server as it is published: built, packed, installed from the tarball into an empty folder and run there. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { FREE_PORTS } from '../kit/bellhop.ts';
import { pathFolders } from '../kit/find.ts';
import { startProcess } from '../kit/process.ts';
import { publishedFields, readManifest } from '../packaging/manifest.ts';
import { temporaryFolder } from '../test/support.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
/** As for `npm ci`: the configured registry, and what it has cached. */
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];

let consumer: string;
let program: string;

beforeAll(async () => {
  const built = join(await temporaryFolder(), 'dist');
  await run(process.execPath, [join(import.meta.dirname, 'build.ts'), built]);
  consumer = await temporaryFolder();
  program = join(consumer, 'node_modules', '.bin', 'bellhop');
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', consumer]);
  await writeFile(join(consumer, 'package.json'), '{ "private": true }');
  const tarball = join(consumer, stdout.trim().split('\n').at(-1) as string);
  await run('npm', [...INSTALL, tarball], { cwd: consumer });
}, 180_000);

/** Only the pinned Node comes from the repository. */
function environment(): Record<string, string> {
  return {
    PATH: [join(process.execPath, '..'), ...outside()].join(delimiter),
    HOME: process.env.HOME ?? '/',
    ...FREE_PORTS,
  };
}

function outside(): string[] {
  return pathFolders().filter((folder) => !folder.startsWith(root));
}

/** Resolves when it has printed a line that matches. */
async function started(args: string[], env: Record<string, string>, last: RegExp) {
  const server = startProcess([program, ...args], { cwd: consumer, env, stderr: 'inherit' });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  await server.line(last);
  return server;
}

test('"bellhop" alone starts a server with console, portal, partner API and webhooks', async () => {
  const server = await started([], { ...environment(), BELLHOP_LOG_LEVEL: 'warn' }, /^ready /);
  const addresses = JSON.parse(server.lines.at(-1)?.slice('ready '.length) as string);

  const page = await fetch(`${addresses.backOffice}/`);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(`${addresses.backOffice}${script}`)).status).toBe(200);

  const portal = await fetch(`${addresses.portal}/`);
  expect([portal.status, await portal.text()]).toEqual([200, expect.stringContaining('<script')]);

  const docs = await fetch(`${addresses.backOffice}/docs/quick-start`);
  expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining('<h1')]);

  const [, credentials = ''] = /curl -u (\S+)/.exec(server.lines.join('\n')) ?? [];
  const overview = await fetch(`${addresses.sandbox}/api/b2b/v3/overview/`, {
    headers: { authorization: `Basic ${btoa(credentials)}` },
  });
  const { data } = (await overview.json()) as { data: unknown[] };
  expect(data).toHaveLength(43);

  const here = {
    ...environment(),
    BELLHOP_SANDBOX_PORT: new URL(addresses.sandbox).port,
    BELLHOP_BACK_OFFICE_PORT: new URL(addresses.backOffice).port,
  };
  await started(['listen', '--sandbox', '--port', '0', '--json'], here, /"listening"/);
  const { stdout } = await run(program, ['trigger', '--watch'], { cwd: consumer, env: here });
  expect(stdout).toContain('delivered');
  const list = ['partners', 'list', '--environment', 'sandbox', '--json'];
  const partners = await run(program, list, { cwd: consumer, env: here });
  expect(JSON.parse(partners.stdout)).toContainEqual(
    expect.objectContaining({ name: 'Demo partner' }),
  );
  await server.end();
  expect(server.child.exitCode).toBe(0);
});

test('has the version of the repository, with its own packages in the same one', async () => {
  const { version } = readManifest('server');
  const { stdout } = await run(program, ['--version'], { cwd: consumer, env: environment() });
  expect(stdout).toBe(`${version}\n`);
  const own = await run('npm', ['ls', '--all', '--json', 'bellhop'], { cwd: consumer });
  expect(JSON.parse(own.stdout)).not.toHaveProperty('problems');
});

test('knows the operations of the back office', async () => {
  const { stdout } = await run(program, ['api', 'midoffices'], {
    cwd: consumer,
    env: environment(),
  });
  expect(stdout).toMatch(/^ {2}POST +midoffices +Register a midoffice/m);
});

test('writes the files that operators need, and every page that its messages name', async () => {
  const folder = join(await temporaryFolder(), 'files');
  await run(program, ['files', folder], { cwd: consumer, env: environment() });
  const written = await readdir(folder, { recursive: true });
  const named = new Set<string>();
  const code = join(consumer, 'node_modules', 'bellhop', 'server', 'src');
  for (const file of await readdir(code, { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    const text = await readFile(join(code, file), 'utf8');
    for (const [page] of text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)) named.add(page);
  }
  expect(named.size).toBeGreaterThan(5);
  expect(written).toEqual(
    expect.arrayContaining([
      ...named,
      ...['deploy/systemd/bellhop.service', 'deploy/systemd/bellhop-backup.timer'],
      ...['deploy/prometheus/alerts.yml', 'deploy/grafana/bellhop.json'],
    ]),
  );
  await expect(run(program, ['files', folder], { env: environment() })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it is not empty'),
  });
});

test('contains JavaScript only, with its own packages, and no tests', async () => {
  const installed = join(consumer, 'node_modules', 'bellhop');
  const files = await readdir(installed, { recursive: true });
  const code = files.filter((file) => !file.includes('node_modules'));
  expect(code.filter((file) => /\.ts$|\.test\./.test(file) && !file.startsWith('docs/'))).toEqual(
    [],
  );
  expect(code).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'server/src/main/threads/services-thread.js']),
  );
  expect(await readdir(join(installed, 'node_modules', '@bellhop'))).toEqual([
    'partner',
    'rules',
    'support-client',
  ]);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
});

const older = outside()
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file));

test.skipIf(!older)('says which Node it needs on an older one', async () => {
  const { stdout } = await run(older as string, ['-p', 'process.versions.node']);
  const version = stdout.trim();
  if (Number(version.split('.')[0]) >= 24) return;
  await expect(run(older as string, [program])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Bellhop needs Node 24 or newer; this is ${version}. Run "npx`),
  });
});

test('names the repository that CI builds, which npm compares with the provenance', () => {
  const ci = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'someone/bellhop' };
  expect(publishedFields('server', ci)).toMatchObject({
    repository: {
      type: 'git',
      url: 'git+https://github.com/someone/bellhop.git',
      directory: 'server',
    },
  });
  expect(publishedFields('server', {})).not.toHaveProperty('repository');
});

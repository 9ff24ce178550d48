/**
 * Each example runs on its real framework and must be certified by the receiver check. Next.js is not
 * installed with the repository (340 MB): its route is called as Next.js would call it, and
 * `EXAMPLE_NEXT=on` installs, builds and starts the whole thing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { build } from 'vite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort, listening, temporaryFolder } from '../../test/support.ts';
import { checkReceiver } from '../src/receiver-check/run.ts';
import { POST } from './next/app/webhook/route.ts';

// These tests start whole processes, which is slow on a busy machine.
const run = promisify(execFile);
const here = import.meta.dirname;
const API_KEY = '5f1c1f4e-2b1c-4e0f-9f0e-8d9d1c7b2a10';

/** Resolves when it listens; it is ended after the test. */
async function start(program: string, args: string[], port: number, env = {}): Promise<void> {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', API_KEY, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  onTestFinished(() => end(child));
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errors}`);
      await fetch(`http://127.0.0.1:${port}/`);
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function expectCertified(port: number): Promise<void> {
  const report = await checkReceiver({
    url: `http://127.0.0.1:${port}/webhook`,
    keys: [API_KEY],
  });
  expect(report.lines.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  expect(report.verdict).toBe('passed');
}

test.each([
  ['Express 5', 'express/receiver.ts'],
  ['Fastify 5', 'fastify/receiver.ts'],
])('%s', async (name, file) => {
  const [framework = '', major] = name.toLowerCase().split(' ');
  expect(await installedVersion(framework)).toMatch(new RegExp(`^${major}\\.`));
  const port = await freePort();
  await start(process.execPath, [join(here, file)], port);
  await expectCertified(port);
});

async function installedVersion(name: string): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return JSON.parse(await readFile(manifest, 'utf8')).version;
}

/** workerd is the runtime of Cloudflare Workers. Its package for this system may be missing. */
const workerd = join(
  dirname(createRequire(import.meta.url).resolve('workerd/package.json')),
  `../@cloudflare/workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}/bin/workerd`,
);

test.skipIf(!existsSync(workerd))(
  'Cloudflare Workers, with tokens in Durable Objects',
  async () => {
    const folder = await temporaryFolder();
    const port = await freePort();
    await build({
      configFile: false,
      logLevel: 'warn',
      root: join(here, 'workers'),
      build: {
        outDir: folder,
        emptyOutDir: false,
        target: 'es2022',
        lib: { entry: 'worker.ts', formats: ['es'], fileName: () => 'worker.js' },
      },
    });
    await writeFile(join(folder, 'config.capnp'), workerdConfig(port));
    await start(workerd, ['serve', join(folder, 'config.capnp')], port);
    await expectCertified(port);
  },
);

/** What Cloudflare makes of wrangler.jsonc. */
function workerdConfig(port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .receiver)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const receiver :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  bindings = [
    (name = "API_KEY", text = "${API_KEY}"),
    (name = "TOKENS", durableObjectNamespace = "WebhookToken"),
  ],
  durableObjectNamespaces = [(className = "WebhookToken", uniqueKey = "token", enableSql = true)],
  durableObjectStorage = (inMemory = void),
);`;
}

test("Next.js: the route's function", async () => {
  vi.stubEnv('API_KEY', API_KEY);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const server = createServer(async (request, response) => {
    const reply = await POST(
      new Request(`http://127.0.0.1${request.url}`, {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body: Readable.toWeb(request) as ReadableStream,
        duplex: 'half',
      }),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  const at = await listening(server);
  await expectCertified(at.port);
});

const NEXT = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];
const TYPES = ['typescript@5.9.3', '@types/node@26.6.6', '@types/react@19.3.0'];

test.skipIf(process.env.EXAMPLE_NEXT !== 'on')(
  'Next.js, built and started, with the published package',
  async () => {
    const folder = await temporaryFolder();
    await cp(join(here, 'next'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const built = join(folder, 'partner');
    await run(process.execPath, [join(here, '..', 'build.ts'), built]);
    const packed = await run('npm', ['pack', built], { cwd: folder });
    const tarball = `./${packed.stdout.trim().split('\n').at(-1)}`;
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...options, tarball, ...NEXT, ...TYPES], { cwd: folder });
    const next = join(folder, 'node_modules', '.bin', 'next');
    const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const;
    await run(next, ['build', folder], { cwd: folder, env });
    const port = await freePort();
    await start(next, ['start', folder, '--port', String(port)], port, env);
    await expectCertified(port);
  },
  600_000,
);

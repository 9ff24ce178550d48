/**
 * What deploy/ would start, as far as that can be tried without Docker and systemd: the image's own
 * files with its own dependencies, the databases of its script, the settings, ports and commands.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { ready } from '../../kit/bellhop.ts';
import { folderWith, pathFolders } from '../../kit/find.ts';
import { findPostgres } from '../../kit/postgres.ts';
import { startProcess } from '../../kit/process.ts';
import { describeWithOwnPostgres, temporaryFolder } from '../../test/support.ts';
import { allSettings, readConfig } from '../src/base/config/config.ts';
import { settings } from '../src/base/config/settings.ts';
import { SERVE_EXITS } from '../src/cli/serve-exits.ts';
import { settingsForTest, startBellhop } from '../testing/bellhop.ts';
import {
  composeServices,
  copiedIntoImage,
  imageCommand,
  prometheusTargets,
  readText,
  unitOf,
} from '../testing/deploy-files.ts';
import { newMasterKey } from '../testing/settings.ts';
import { repository } from '../testing/shell-in-markdown.ts';

// These tests start whole processes, which is slow on a busy machine.
const run = promisify(execFile);
const { productionPort, sandboxPort, portalPort, backOfficePort } = settings;
const PORTS = [productionPort, sandboxPort, portalPort, backOfficePort].map(
  (setting) => setting.default as string,
);
const BACK_OFFICE_PORT = settings.backOfficePort.default as string;
const LONGEST_STOP_SECONDS = 15;
const COMMAND = imageCommand(/^CMD (.+)$/m);
const HEALTH_CHECK = imageCommand(/^HEALTHCHECK .*\\\n +CMD (.+)$/m);

describe('the image', () => {
  let pages: string;
  beforeAll(async () => {
    pages = await buildPages();
  });

  test('has everything that Bellhop needs, starts, and passes its own health check', async () => {
    const image = await temporaryFolder();
    await copyAsImage(image, pages);
    await linkDependencies(image);
    const wanted = await settingsForTest({ NODE_ENV: 'production', BELLHOP_HOST: '0.0.0.0' });
    const server = startImage(image, wanted);
    const { backOffice } = await ready(server);
    const console = await fetch(backOffice.replace('0.0.0.0', '127.0.0.1'));
    expect(await console.text()).toContain('<!doctype html>');

    const check = HEALTH_CHECK.map((word) =>
      word.replace(
        `:${BACK_OFFICE_PORT}/health/ready`,
        `:${new URL(backOffice).port}/health/ready`,
      ),
    );
    expect(check).not.toEqual(HEALTH_CHECK);
    await run(process.execPath, check.slice(1));
    expect(await server.end()).toEqual({ code: 0, signal: null });
    await expect(run(process.execPath, check.slice(1))).rejects.toMatchObject({ code: 1 });
  });

  test('has all compiled code, so that a start in a read-only container compiles nothing', async () => {
    const image = await temporaryFolder();
    await copyAsImage(image, pages);
    await linkDependencies(image);
    expect(readText('deploy/Dockerfile')).toMatch(/setpriv .* node deploy\/warm-up\.js/);
    // Without the cache that the tests share.
    const { NODE_COMPILE_CACHE: _, ...env } = await settingsForTest({ NODE_ENV: 'production' });
    await run(process.execPath, ['deploy/warm-up.js'], { cwd: image, env });
    const compiled = async () => {
      const folder = join(image, 'node_modules/.cache/bellhop');
      return (await readdir(folder, { recursive: true })).sort();
    };
    const kept = await compiled();
    expect(kept.length).toBeGreaterThan(100);
    const server = startImage(image, env);
    await ready(server);
    expect(await server.end()).toEqual({ code: 0, signal: null });
    expect(await compiled()).toEqual(kept);
  });

  test('exposes the ports that Bellhop listens on, and does not run as root', () => {
    const dockerfile = readText('deploy/Dockerfile');
    expect(dockerfile).toContain(`\nEXPOSE ${PORTS.join(' ')}\n`);
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    const folder = /BELLHOP_DATA_DIR=(\S+)/.exec(dockerfile)?.[1];
    expect(dockerfile).toContain(`\nVOLUME ${folder}\n`);
  });

  test('has the Node version that npm installs', () => {
    const pinned = JSON.parse(readText('package.json')).devDependencies.node.split('.')[0];
    const images = [...readText('deploy/Dockerfile').matchAll(/^FROM node:(\d+)/gm)];
    expect(images.map(([, major]) => major)).toEqual([pinned, pinned]);
  });
});

test('no command that is shipped lets SIGUSR1 open a debugger', () => {
  const started = [
    JSON.parse(readText('package.json')).scripts.start.replace('exec ', ''),
    COMMAND.join(' '),
    HEALTH_CHECK.join(' '),
    ...['bellhop', 'bellhop-backup'].map(
      (unit) => /^ExecStart=\S+\/(.+)$/m.exec(readText(`deploy/systemd/${unit}.service`))?.[1],
    ),
  ];
  for (const command of started) expect(command).toMatch(/^node --disable-sigusr1 /);
  // The chart and compose.yaml run the command of the image.
  expect(readText('deploy/helm/bellhop/templates/deployments.yaml')).not.toMatch(
    /^ *(command|args):/m,
  );
  for (const [name, service] of Object.entries(composeServices())) {
    if (name.startsWith('bellhop-')) expect(service).not.toHaveProperty('command');
  }
});

describe('compose', () => {
  const nodes = Object.entries(composeServices()).filter(([name]) => name.startsWith('bellhop-'));

  test('gives every node valid settings', () => {
    expect(nodes).toHaveLength(2);
    for (const [, { environment }] of nodes) {
      const filled = Object.entries(environment).map(([name, value]) => [name, filledIn(value)]);
      const config = readConfig(Object.fromEntries(filled));
      expect(config.production.databaseUrl).not.toBe(config.sandbox.databaseUrl);
      expect(config.production.redisUrl).not.toBe(config.sandbox.redisUrl);
      expect(Object.keys(environment)).toContain('BELLHOP_MASTER_KEY');
    }
  });

  test('takes images from another registry, more settings, and authorities of your own', () => {
    const { services } = parse(readText('deploy/compose.yaml'), { merge: true });
    for (const [name, { image }] of Object.entries<{ image: string }>(services)) {
      expect(image, name).toMatch(/^\$\{(SERVER|POSTGRES|REDIS)_IMAGE:-[a-z0-9:-]+\}$/);
    }
    for (const [name, { environment, volumes }] of nodes) {
      expect(services[name].env_file).toEqual([{ path: 'bellhop.env', required: false }]);
      const [, inside] = /^\$\{CA_FILE:\+(.+)\}$/.exec(environment.BELLHOP_CA_FILE ?? '') ?? [];
      expect(volumes).toContain(`\${CA_FILE:-/dev/null}:${inside}:ro`);
    }
    // It has secrets, too.
    expect(readText('deploy/.gitignore').split('\n')).toContain('bellhop.env');
  });

  test('lists every variable that it needs in its example', () => {
    const asked = [...readText('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(
      ([, name]) => name,
    );
    const given = [...readText('deploy/compose.env.example').matchAll(/^(\w+)=/gm)];
    expect(given.map(([, name]) => name).sort()).toEqual([...new Set(asked)].sort());
  });

  test("publishes Bellhop's ports on this machine only, and waits for the drain", () => {
    for (const [, { ports, stop_grace_period, environment }] of nodes) {
      expect(ports.map((port) => port.split(':').at(-1))).toEqual(PORTS);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      const delaySeconds = Number.parseInt(environment.BELLHOP_DRAIN_DELAY ?? '', 10);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(
        delaySeconds + LONGEST_STOP_SECONDS,
      );
    }
  });

  test('keeps the temporary files of imports on a disk, not in memory', () => {
    for (const [, { environment, tmpfs, volumes }] of nodes) {
      const folder = environment.TMPDIR;
      expect(volumes.map((volume) => volume.split(':')[1])).toContain(folder);
      expect(tmpfs.map((mount) => mount.split(':')[0])).not.toContain(folder);
    }
  });

  test('has the nodes that Prometheus scrapes', () => {
    const names = nodes.map(([name]) => name);
    expect(prometheusTargets()).toEqual([
      ...names.map((name) => `${name}:${BACK_OFFICE_PORT}`),
      ...names.map((name) => `http://${name}:${BACK_OFFICE_PORT}/health/ready`),
      ...names.map((name) => `${name}:9100`),
    ]);
  });
});

describe('the systemd units', () => {
  const server = unitOf('bellhop.service');
  const backup = unitOf('bellhop-backup.service');
  const one = (key: string) => server.get(key)?.[0] ?? '';

  test('run the same command as the image, with existing settings', () => {
    const [node, ...rest] = one('ExecStart').split(' ');
    expect(existsSync(inRepository(node as string))).toBe(true);
    expect(rest.map((word) => word.replace('/opt/bellhop/', ''))).toEqual(COMMAND.slice(1));
    const given = server.get('Environment')?.map((pair) => pair.split('=')) ?? [];
    const { NODE_ENV, ...ours } = Object.fromEntries(given);
    expect(NODE_ENV).toBe('production');
    expect(readConfig(ours).dataDir).toBe(`/var/lib/${one('StateDirectory')}`);
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(LONGEST_STOP_SECONDS);
    expect(existsSync(inRepository(one('Documentation').slice(7)))).toBe(true);
  });

  test('show how to pass a secret as a file, with existing settings', () => {
    const text = `${readText('deploy/systemd/bellhop.service')}${readText('deploy/README.md')}`;
    const shown = [...text.matchAll(/^#?Environment=(BELLHOP_\w+)_FILE=%d\/(\S+)$/gm)];
    expect(shown.length).toBeGreaterThan(2);
    const secrets = allSettings().filter(({ setting }) => setting.secret);
    for (const [, name, credential] of shown) {
      expect(secrets.map(({ variable }) => variable)).toContain(name);
      expect(text).toContain(`LoadCredential=${credential}:/etc/bellhop/${credential}\n`);
    }
  });

  test('restart Bellhop unless its exit code says that another start cannot help', () => {
    expect(one('Restart')).toBe('always');
    const final = SERVE_EXITS.filter(({ canRetry }) => !canRetry).map(({ code }) => code);
    expect(one('RestartPreventExitStatus').split(' ').map(Number)).toEqual(final);
  });

  test('confine the backup as they confine the server', () => {
    const confining = [...server.keys()].slice([...server.keys()].indexOf('DynamicUser'));
    expect(confining.length).toBeGreaterThan(25);
    const {
      StateDirectory,
      RestrictAddressFamilies,
      WantedBy: _,
      ...same
    } = Object.fromEntries(confining.map((key) => [key, server.get(key)]));
    expect(Object.fromEntries(backup)).toMatchObject(same);
    // The server calls others; the backup must not.
    expect(RestrictAddressFamilies).toBeDefined();
    expect(backup.get('RestrictAddressFamilies')).toEqual(['none']);
    expect(backup.get('PrivateNetwork')).toEqual(['yes']);
    const [command = ''] = backup.get('ExecStart') ?? [];
    const [, target] = / backup \/var\/lib\/(\S+) /.exec(command) ?? [];
    expect(backup.get('StateDirectory')).toEqual([`${StateDirectory} ${target}`]);
    expect(backup.get('Environment')).toEqual(server.get('Environment'));
  });

  const programs = folderWith(['systemd-analyze'], pathFolders());
  if (!programs) console.log('Skipping tests of the systemd units: systemd-analyze is missing.');
  describe.skipIf(programs === null)('for systemd', () => {
    test('are valid', async () => {
      const folder = await temporaryFolder();
      const names = ['bellhop.service', 'bellhop-backup.service', 'bellhop-backup.timer'];
      for (const name of names) {
        const text = readText(`deploy/systemd/${name}`).replaceAll('/opt/bellhop', repository);
        await writeFile(join(folder, name), text);
      }
      const files = names.map((name) => join(folder, name));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...files]);
      expect(stderr).not.toContain('bellhop');
    });

    test('expose little of the machine, the backup no more than the server', async ({ skip }) => {
      const { stdout: version } = await run('systemd-analyze', ['--version']);
      skip(Number(/\d+/.exec(version)?.[0]) < 250, 'systemd 250 is the first that can tell.');
      const exposureOf = async (unit: string) => {
        const file = inRepository(`/opt/bellhop/deploy/systemd/${unit}`);
        const args = ['security', '--offline=true', '--no-pager', file];
        const { stdout } = await run('systemd-analyze', args);
        return Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
      };
      const [server, backup] = [
        await exposureOf('bellhop.service'),
        await exposureOf('bellhop-backup.service'),
      ];
      expect(server).toBeLessThan(2);
      expect(backup).toBeLessThanOrEqual(server);
    });
  });
});

describeWithOwnPostgres('the databases of create-databases.sh', (startPostgres) => {
  test("serve Bellhop, and neither role can connect to the other's database", async () => {
    const server = new URL((await startPostgres()).url);
    await run(inRepository('/opt/bellhop/deploy/postgres/create-databases.sh'), {
      env: {
        PATH: [findPostgres(), process.env.PATH].join(':'),
        PGHOST: server.hostname,
        PGPORT: server.port,
        PGUSER: server.username,
        PRODUCTION_DATABASE_PASSWORD: 'of-production',
        SANDBOX_DATABASE_PASSWORD: 'of-sandbox',
      },
    });
    const as = (role: string, database: string) =>
      `postgres://bellhop_${role}:of-${role}@${server.host}/bellhop_${database}`;
    const bellhop = await startBellhop({
      BELLHOP_PRODUCTION_DATABASE_URL: as('production', 'production'),
      BELLHOP_SANDBOX_DATABASE_URL: as('sandbox', 'sandbox'),
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    expect((await fetch(`${bellhop.addresses.backOffice}/health/ready`)).status).toBe(200);
    const intruder = new pg.Client({ connectionString: as('sandbox', 'production') });
    await expect(intruder.connect()).rejects.toThrow(/permission denied for database/);
  });
});

/** As the image starts it; It is killed after the test. */
function startImage(image: string, env: Record<string, string>) {
  const command: [string, ...string[]] = [process.execPath, ...COMMAND.slice(1)];
  const server = startProcess(command, { cwd: image, env, stderr: 'inherit' });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  return server;
}

/** The files of the repository that the image gets: those it copies, without the ignored ones. */
async function copyAsImage(image: string, pages: string): Promise<void> {
  for (const { stage, from, to } of copiedIntoImage()) {
    if (stage === 'pages') {
      const [built = ''] = from;
      await cp(join(pages, relative('/opt/bellhop', built)), join(image, to), { recursive: true });
    } else if (stage === undefined) await copyFromRepository(image, from, to);
  }
}

/** As the stage of that name builds them: from the files that it has, and from no others. */
async function buildPages(): Promise<string> {
  const stage = await temporaryFolder();
  for (const { from, to } of [...copiedIntoImage('dependencies'), ...copiedIntoImage('pages')]) {
    await copyFromRepository(stage, from, to);
  }
  await symlink(join(repository, 'node_modules'), join(stage, 'node_modules'));
  const command = /^RUN node (packaging\/.+)$/m.exec(readText('deploy/Dockerfile'))?.[1] as string;
  const { stdout } = await run(process.execPath, [command], { cwd: stage });
  expect(stdout).toContain('done in');
  return stage;
}

async function copyFromRepository(target: string, from: string[], to: string): Promise<void> {
  const rules = readText('deploy/Dockerfile.dockerignore');
  const ignored = rules.split('\n').filter((line) => /^[^#!]/.test(line) && line !== '*');
  const allowed = [...rules.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
  for (const name of from) {
    expect(allowed.some((path) => name === path || name.startsWith(`${path}/`))).toBe(true);
    const isFolder = to.endsWith('/');
    const copy = join(target, to, isFolder ? (name.split('/').at(-1) as string) : '');
    await cp(join(repository, name), copy, {
      recursive: true,
      filter: (source) => {
        const path = relative(repository, source);
        return !ignored.some((pattern) => matchesGlob(path, pattern));
      },
    });
  }
}

/** What "npm ci --omit=dev" would install according to the lock file; linked, because copying is slow. */
async function linkDependencies(image: string): Promise<void> {
  interface Locked {
    dev?: boolean;
    devOptional?: boolean;
    link?: boolean;
    resolved?: string;
  }
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  for (const [path, { dev, devOptional, link, resolved }] of Object.entries(packages)) {
    const nested = path.lastIndexOf('node_modules/') > 0;
    if (!path.startsWith('node_modules/') || nested || dev || devOptional) continue;
    const source = join(link ? image : repository, link ? (resolved as string) : path);
    if (!existsSync(source)) continue;
    await mkdir(dirname(join(image, path)), { recursive: true });
    await symlink(source, join(image, path));
  }
}

function filledIn(value: string): string {
  return value
    .replace(/\$\{BELLHOP_MASTER_KEY:[^}]*\}/, newMasterKey())
    .replaceAll(/\$\{\w+:(-|\+[^}]*)\}/g, '')
    .replaceAll(/\$\{\w+:\?[^}]*\}/g, '0123456789abcdef0123456789abcdef');
}

function inRepository(installed: string): string {
  return installed.replace('/opt/bellhop', repository);
}

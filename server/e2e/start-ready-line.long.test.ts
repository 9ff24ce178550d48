import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { ConfigError } from '../src/base/config/config.ts';
import { VERSION } from '../src/base/version.ts';
import { start } from '../src/main/main.ts';
import { ADMIN_TOKEN, settingsForTest, spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { readText } from '../testing/deploy-files.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { newMasterKey } from '../testing/settings.ts';

// These tests start whole processes, which is slow on a busy machine.
const PARTNER_API_ONLY = { BELLHOP_ROLES: 'partner-api' };
const squatter = createServer().listen(0, '127.0.0.1').unref();
await once(squatter, 'listening');
const takenPort = String((squatter.address() as AddressInfo).port);

test('prints text for people, then one ready line with the addresses', async () => {
  const { addresses, startText } = await spawnBellhop();
  expect(startText).toEqual([
    `Bellhop ${VERSION} on Node ${process.versions.node}`,
    '  production: embedded database, limits in this process, no upstream',
    '  sandbox: embedded database, limits in this process, no upstream',
    `ready ${JSON.stringify(addresses)}`,
  ]);
  expect(Object.keys(addresses)).toEqual(['production', 'sandbox', 'backOffice', 'portal']);
  for (const address of Object.values(addresses)) {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    // Rejects if nothing listens.
    await fetch(address);
  }
});

describe('lists only what it serves', () => {
  test.each([
    { environments: 'sandbox', roles: 'partner-api', served: ['sandbox'] },
    {
      environments: 'production',
      roles: 'partner-api,back-office',
      served: ['production', 'backOffice'],
    },
    { environments: 'sandbox,production', roles: 'back-office', served: ['backOffice'] },
    { environments: 'production', roles: 'delivery', served: [] },
    { environments: 'production', roles: 'delivery,monitoring', served: ['monitoring'] },
    { environments: 'sandbox', roles: 'monitoring,back-office', served: ['backOffice'] },
    { environments: 'production', roles: 'portal', served: ['portal'] },
    { environments: 'sandbox', roles: 'portal,monitoring', served: ['portal', 'monitoring'] },
    { environments: '', roles: '', served: ['production', 'sandbox', 'backOffice', 'portal'] },
  ])('$environments with $roles: $served', async ({ environments, roles, served }) => {
    const { addresses } = await startBellhop({
      BELLHOP_ENVIRONMENTS: environments,
      BELLHOP_ROLES: roles,
    });
    expect(Object.keys(addresses)).toEqual(served);
  });

  test('the back office answers 404 for an environment that is not served', async () => {
    const { support } = await startBellhop({
      ...BACK_OFFICE_ONLY,
      BELLHOP_ENVIRONMENTS: 'sandbox',
    });
    expect(await support('GET', '/support/v1/sandbox/partners')).toMatchObject({ status: 200 });
    expect(await support('GET', '/support/v1/production/partners')).toMatchObject({
      status: 404,
      body: { code: 'environment_not_found' },
    });
  });
});

test('with the role monitoring, serves health checks and metrics but nothing else of the back office', async () => {
  const { addresses } = await startBellhop({
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_ROLES: 'partner-api,monitoring',
  });
  expect(Object.keys(addresses)).toEqual(['sandbox', 'monitoring']);
  const { monitoring } = addresses as unknown as Record<string, string>;
  const ask = async (method: string, path: string) => {
    const reply = await fetch(monitoring + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{}' }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  expect(await ask('GET', '/health/live')).toMatchObject({ status: 200 });
  expect(JSON.parse((await ask('GET', '/health/ready')).text)).toEqual({
    status: 'ready',
    troubles: [],
  });
  const metrics = (await ask('GET', '/metrics')).text;
  for (const thread of ['partner-api', 'services']) expect(metrics).toContain(`thread="${thread}"`);
  expect(await ask('POST', '/metrics')).toMatchObject({ status: 405 });

  const pages = ['/', '/docs', '/openapi.json', '/openapi/partner.json', '/console/session'];
  const { paths } = JSON.parse(readText('docs/openapi/back-office.json')) as {
    paths: Record<string, object>;
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => /^(get|put|post|patch|delete)$/.test(method))
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'sandbox')] as const),
  );
  expect(operations.length).toBeGreaterThan(50);
  for (const [method, path] of [...pages.map((page) => ['GET', page] as const), ...operations]) {
    const { status, text } = await ask(method, path);
    expect(`${method} ${path} ${status}`).toBe(`${method} ${path} 404`);
    expect(text).toContain('route_not_found');
  }
});

test('listens on IPv6 and prints an address that can be called', async () => {
  const { addresses } = await startBellhop({ ...BACK_OFFICE_ONLY, BELLHOP_HOST: '::1' });
  expect(addresses.backOffice).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${addresses.backOffice}/health/live`)).status).toBe(200);
});

describe('does not start', () => {
  test('when a port is in use: one sentence, exit 75', async () => {
    expect(await serveAndFail({ BELLHOP_SANDBOX_PORT: takenPort })).toEqual({
      code: 75,
      stderr: `BELLHOP_SANDBOX_PORT: port ${takenPort} on 127.0.0.1 is taken; choose another, or 0.\n`,
    });
  });

  test.each([
    [
      'BELLHOP_PRODUCTION_PORT',
      takenPort,
      `: port ${takenPort} on 127.0.0.1 is taken; choose another, or 0.`,
    ],
    [
      'BELLHOP_SANDBOX_PORT',
      takenPort,
      `: port ${takenPort} on 127.0.0.1 is taken; choose another, or 0.`,
    ],
    ['BELLHOP_BACK_OFFICE_PORT', takenPort, `: port ${takenPort} on 127.0.0.1 is taken`],
    ['BELLHOP_HOST', '256.1.1.1', ' must be an address or a host name, not "256.1.1.1".'],
    [
      'BELLHOP_HOST',
      '192.0.2.1',
      ' must be an address of this machine: it cannot listen on 192.0.2.1 (EADDRNOTAVAIL).',
    ],
    ['BELLHOP_HOST', 'fe80::1', ' must be an address of this machine: it cannot listen'],
    [
      'BELLHOP_HOST',
      'nope.invalid',
      ' must be an address of this machine: the name nope.invalid leads to no address (',
    ],
  ])(
    'with %s=%s, before anything is generated, opened or printed',
    async (variable, value, why) => {
      const dataDir = join(await temporaryFolder(), 'data');
      const printed: string[] = [];
      const settings = await settingsForTest({
        BELLHOP_DATA_DIR: dataDir,
        BELLHOP_ADMIN_TOKEN: '',
        [variable]: value,
      });
      const error = await start(settings, (line) => printed.push(line)).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toContain(variable + why);
      expect(printed).toEqual([]);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test('with a database that cannot be opened: prints nothing but the sentence', async () => {
    const printed: string[] = [];
    const settings = await settingsForTest({
      BELLHOP_SANDBOX_DATABASE_URL: 'postgres://127.0.0.1:1/nothing',
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const starting = start(settings, (line) => printed.push(line));
    await expect(starting).rejects.toThrow('BELLHOP_SANDBOX_DATABASE_URL: ');
    expect(printed).toEqual([]);
  });

  test('on a data folder that another process uses', async () => {
    const folder = await temporaryFolder();
    await startBellhop({ ...PARTNER_API_ONLY, BELLHOP_DATA_DIR: folder });
    const { code, stderr } = await serveAndFail({ BELLHOP_DATA_DIR: folder });
    expect(code).toBe(75);
    expect(stderr).toMatch(/^Another Bellhop process is using .*; stop it, choose another .*\n$/);
  });

  test('once it is asked to stop, and leaves its data folder to the next start', async () => {
    const settings = await settingsForTest({ BELLHOP_DATA_DIR: await temporaryFolder() });
    const stopping = new AbortController();
    const starting = start(settings, () => stopping.abort(), stopping.signal);
    await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
    await (await start(settings, () => {})).stop();
  });

  test('and leaves its data folder to the next start', async () => {
    const settings = { BELLHOP_DATA_DIR: await temporaryFolder() };
    const starting = startBellhop({ ...settings, BELLHOP_BACK_OFFICE_PORT: takenPort });
    await expect(starting).rejects.toThrow('is taken');
    await startBellhop(settings);
  });
});

async function serveAndFail(settings: Record<string, string>) {
  const bin = fileURLToPath(new URL('../bin/bellhop.js', import.meta.url));
  const env = { PATH: process.env.PATH ?? '', ...(await settingsForTest(settings)) };
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [bin, 'serve'], { env }, (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });
}

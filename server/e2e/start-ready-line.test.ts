import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { ConfigError } from '../src/config/config.ts';
import { VERSION } from '../src/version.ts';
import { settingsForTest, spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';

// These tests start whole processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const PARTNER_API_ONLY = { BELLHOP_ROLES: 'partner-api' };

test('prints text for people, then one ready line with the addresses', async () => {
  const { addresses, startText } = await spawnBellhop();
  expect(startText).toEqual([
    `Bellhop ${VERSION} on Node ${process.versions.node}`,
    '  production: embedded database, limits in this process, no upstream',
    '  sandbox: embedded database, limits in this process, no upstream',
    `ready ${JSON.stringify(addresses)}`,
  ]);
  expect(Object.keys(addresses)).toEqual(['production', 'sandbox', 'backOffice']);
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
    { environments: '', roles: '', served: ['production', 'sandbox', 'backOffice'] },
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

test('listens on IPv6 and prints an address that can be called', async () => {
  const { addresses } = await startBellhop({ ...BACK_OFFICE_ONLY, BELLHOP_HOST: '::1' });
  expect(addresses.backOffice).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${addresses.backOffice}/health/live`)).status).toBe(200);
});

describe('does not start', () => {
  test('when a port is in use: one sentence, exit 2', async () => {
    const port = await takenPort();
    expect(await serveAndFail({ BELLHOP_SANDBOX_PORT: port })).toEqual({
      code: 2,
      stderr: `BELLHOP_SANDBOX_PORT: port ${port} on 127.0.0.1 is taken; choose another, or 0.\n`,
    });
  });

  test.each([
    ['BELLHOP_PRODUCTION_PORT', PARTNER_API_ONLY],
    ['BELLHOP_BACK_OFFICE_PORT', BACK_OFFICE_ONLY],
  ])('when %s is in use either', async (variable, roles) => {
    const port = await takenPort();
    const starting = startBellhop({ ...roles, [variable]: port });
    await expect(starting).rejects.toThrow(`${variable}: port ${port} on 127.0.0.1 is taken`);
    await expect(starting).rejects.toBeInstanceOf(ConfigError);
  });

  test('at an address that this machine does not have', async () => {
    await expect(startBellhop({ ...PARTNER_API_ONLY, BELLHOP_HOST: '192.0.2.1' })).rejects.toThrow(
      'BELLHOP_PRODUCTION_PORT: cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL).',
    );
  });

  test('on a data folder that another process uses', async () => {
    const folder = await temporaryFolder();
    await startBellhop({ ...PARTNER_API_ONLY, BELLHOP_DATA_DIR: folder });
    const { code, stderr } = await serveAndFail({ BELLHOP_DATA_DIR: folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Another Bellhop process is using .*; stop it, choose another .*\n$/);
  });

  test('and closes the listeners that it had opened if a later one fails', async () => {
    const settings = { BELLHOP_DATA_DIR: await temporaryFolder() };
    const port = await takenPort();
    const starting = startBellhop({ ...settings, BELLHOP_BACK_OFFICE_PORT: port });
    await expect(starting).rejects.toThrow('is taken');
    await startBellhop(settings);
  });
});

async function takenPort(): Promise<string> {
  const squatter = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void squatter.close());
  await once(squatter, 'listening');
  return String((squatter.address() as { port: number }).port);
}

async function serveAndFail(settings: Record<string, string>) {
  const bin = fileURLToPath(new URL('../bin/bellhop.js', import.meta.url));
  const env = { PATH: process.env.PATH ?? '', ...(await settingsForTest(settings)) };
  return new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [bin, 'serve'], { env }, (error, _stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
  });
}

import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { loadServicesThread } from '../src/main/threads/start-services-thread.ts';
import {
  helpersOf,
  spawnBellhop,
  startBellhop,
  startHere,
  type TestBellhop,
} from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { newMasterKey } from '../testing/settings.ts';
import { pointingAt, runCommand } from './cli-command.ts';

// These tests start whole processes, which is slow on a busy machine.
const TOKEN_LINE = /^ {2}Admin token for the back office, kept in \S+: (bh_[\w-]{43})$/;

/** In this process, with all that it prints. */
async function startAndListen(settings: Record<string, string>) {
  const startText: string[] = [];
  const { addresses, stop } = await startHere(settings, (line) => startText.push(line));
  onTestFinished(stop);
  return { ...helpersOf({ addresses, stop }), startText };
}

test('generates an admin token, prints it once, and accepts it from then on', async () => {
  const settings = {
    BELLHOP_DATA_DIR: join(await temporaryFolder(), 'data'),
    BELLHOP_ADMIN_TOKEN: '',
  };
  const first = await startAndListen(settings);
  const token = first.startText.map((line) => TOKEN_LINE.exec(line)?.[1]).find(Boolean);
  expect(token).toBeDefined();
  const listTokens = async (bellhop: TestBellhop) =>
    (await bellhop.support('GET', '/support/v1/tokens', undefined, token)).status;
  expect(await listTokens(first)).toBe(200);
  expect(readFileSync(join(settings.BELLHOP_DATA_DIR, 'admin.token'), 'utf8')).toBe(`${token}\n`);
  await first.stop();

  const second = await startAndListen(settings);
  expect(second.startText.join('\n')).not.toMatch(/token/i);
  expect(await listTokens(second)).toBe(200);
});

test('a start with only the sandbox has its own token file, and leaves the other one unchanged', async () => {
  const folder = await temporaryFolder();
  const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: folder, BELLHOP_ADMIN_TOKEN: '' };
  await (await startBellhop(settings)).stop();
  const ofBoth = readFileSync(join(folder, 'admin.token'), 'utf8');
  const alone = await startBellhop({ ...settings, BELLHOP_ENVIRONMENTS: 'sandbox' });
  expect(readFileSync(join(folder, 'admin.token'), 'utf8')).toBe(ofBoth);
  const its = readFileSync(join(folder, 'admin.sandbox.token'), 'utf8').trim();
  expect((await alone.support('GET', '/support/v1/tokens', undefined, its)).status).toBe(200);
});

test('a configured admin token replaces the previous one', async () => {
  const folder = await temporaryFolder();
  const start = (token: string) =>
    startBellhop({ ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: folder, BELLHOP_ADMIN_TOKEN: token });
  const status = async (bellhop: TestBellhop, token: string) =>
    (await bellhop.support('GET', '/support/v1/tokens', undefined, token)).status;

  const first = await start('the-first-token-of-all');
  const made = await first.support(
    'POST',
    '/support/v1/tokens',
    { name: 'kept', role: 'admin' },
    'the-first-token-of-all',
  );
  await first.stop();

  const second = await start('another-token-after-it');
  expect(await status(second, 'another-token-after-it')).toBe(200);
  expect(await status(second, 'the-first-token-of-all')).toBe(401);
  expect(await status(second, made.body.token)).toBe(200);
  await second.stop();

  const third = await start('');
  expect(await status(third, 'another-token-after-it')).toBe(200);
});

test('secrets can be in files, for the server in both threads and for commands', async () => {
  const folder = await temporaryFolder();
  const token = 'the-token-in-a-file';
  const files = { 'master.key': newMasterKey(), 'admin.token': token, 'alert.url': 'http://a' };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), `${content}\n`);
  }
  const adminToken = {
    BELLHOP_ADMIN_TOKEN: '',
    BELLHOP_ADMIN_TOKEN_FILE: join(folder, 'admin.token'),
  };
  const settings = {
    ...adminToken,
    BELLHOP_DATA_DIR: join(folder, 'data'),
    BELLHOP_MASTER_KEY_FILE: join(folder, 'master.key'),
    BELLHOP_ALERT_URL_FILE: join(folder, 'alert.url'),
  };
  const bellhop = await startBellhop(settings, loadServicesThread);
  expect((await bellhop.support('GET', '/support/v1/tokens', undefined, token)).status).toBe(200);
  expect(existsSync(join(folder, 'data', 'master.key'))).toBe(false);

  const { BELLHOP_TOKEN: _, ...here } = pointingAt(bellhop.addresses);
  const list = (variables: Record<string, string>) =>
    runCommand(['tokens', 'list'], { ...here, ...variables });
  const inFile = { BELLHOP_TOKEN_FILE: join(folder, 'admin.token') };
  expect(await list(inFile)).toMatchObject({ code: 0, stderr: '' });
  expect(await list(adminToken)).toMatchObject({ code: 0, stderr: '' });
  expect(await list({ ...inFile, BELLHOP_TOKEN: token })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'BELLHOP_TOKEN_FILE must not be set together with BELLHOP_TOKEN: remove one of them.\n',
  });
});

test('only the owner can read the data folder', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const bellhop = await spawnBellhop({ BELLHOP_DATA_DIR: folder, BELLHOP_ADMIN_TOKEN: '' });
  const modes = Object.fromEntries(
    ['', ...(readdirSync(folder, { recursive: true }) as string[])].map((path) => {
      const stats = statSync(join(folder, path));
      return [path, `${stats.isDirectory() ? 'd' : '-'}${(stats.mode & 0o777).toString(8)}`];
    }),
  );
  expect(Object.keys(modes)).toEqual(
    expect.arrayContaining([
      'master.key',
      'admin.token',
      'back-office.db',
      'production',
      'sandbox/bellhop.db',
    ]),
  );
  for (const [path, mode] of Object.entries(modes)) {
    expect(`${path} ${mode}`).toMatch(/ (d700|-600)$/);
  }
  await bellhop.stop();
});

test('reuses the generated master key, and refuses to open the database without it', async () => {
  const folder = await temporaryFolder();
  const settings = { BELLHOP_DATA_DIR: folder, BELLHOP_ROLES: 'partner-api' };
  const file = join(folder, 'master.key');
  const first = await startBellhop({ ...settings, ...BACK_OFFICE_ONLY });
  const { authorization } = await first.newKey('production');
  const masterKey = readFileSync(file, 'utf8');
  expect(Buffer.from(masterKey, 'base64')).toHaveLength(32);
  await first.stop();

  const second = await startBellhop(settings);
  expect(readFileSync(file, 'utf8')).toBe(masterKey);
  const reply = await fetch(`${second.addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization },
  });
  expect(reply.status).toBe(200);
  await second.stop();

  rmSync(file);
  await expect(startBellhop(settings)).rejects.toThrow(
    /^The master key is missing: .*; put the file back from your backup, or set BELLHOP_MASTER_KEY/,
  );
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, 'half a k');
  await expect(startBellhop(settings)).rejects.toThrow(
    `The master key in ${file} must be 32 bytes in base64, as \`openssl rand -base64 32\` prints them; put the file back from your backup, or set BELLHOP_MASTER_KEY.`,
  );
  await startBellhop({ ...settings, BELLHOP_MASTER_KEY: masterKey.trim() });
});

test("refuses to serve one environment from the other's folder", async () => {
  const folder = await temporaryFolder();
  const first = await startBellhop({
    ...BACK_OFFICE_ONLY,
    BELLHOP_DATA_DIR: folder,
    BELLHOP_ENVIRONMENTS: 'production',
  });
  await first.stop();
  renameSync(join(folder, 'production'), join(folder, 'sandbox'));
  await expect(startBellhop({ BELLHOP_DATA_DIR: folder })).rejects.toThrow(
    /belongs to production and cannot serve sandbox: the environments never mix\.$/,
  );
});

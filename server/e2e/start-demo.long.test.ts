import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { start } from '../src/main/main.ts';
import { settingsForTest, spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { newMasterKey } from '../testing/settings.ts';
import { runCommand } from './cli-command.ts';

// These tests start whole processes, which is slow on a busy machine.
const AUTOMATIC = { BELLHOP_DEMO: '' };

test('creates a demo key in an empty embedded sandbox, and the printed command works as it is', async () => {
  const settings = { ...AUTOMATIC, BELLHOP_DATA_DIR: await temporaryFolder() };
  const first = await spawnBellhop(settings);
  const line = curlLine(first.startText);
  expect(line).toBeDefined();
  const reply = JSON.parse(await inShell(`${line} --silent --fail`));
  expect(reply).toMatchObject({ status: 'ok', error: null, debug: null });
  expect(reply.data).toHaveLength(43);
  const partners = await first.support('GET', '/support/v1/sandbox/partners');
  expect(partners.body.items).toMatchObject([{ name: 'Demo partner', is_new: true }]);
  const inProduction = await first.support('GET', '/support/v1/production/partners');
  expect(inProduction.body.items).toEqual([]);
  const { sandbox } = first.addresses;
  const here = { ...settings, BELLHOP_SANDBOX_PORT: new URL(sandbox).port };
  expect(await runCommand(['demo'], here)).toMatchObject({ code: 0, stdout: `${line?.trim()}\n` });
  expect(statSync(join(settings.BELLHOP_DATA_DIR, 'demo.key')).mode & 0o777).toBe(0o600);
  const [, keyId = '', apiKey = ''] = /-u (\d+):(\S+)/.exec(line ?? '') ?? [];
  const json = JSON.parse((await runCommand(['demo', '--json'], here)).stdout);
  expect(json).toEqual({ key_id: keyId, api_key: apiKey });
  await first.support('POST', `/support/v1/sandbox/keys/${keyId}/rotation`, { overlap_seconds: 0 });
  expect(await runCommand(['demo'], here)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no longer accepts the demo key .*"bellhop keys rotate \d+ /),
  });
  // Only this check of the key was refused. A partner's first page must not begin with a call that we made.
  const refused = await eventually(
    () => first.support('GET', '/support/v1/sandbox/calls'),
    ({ body }) => body.items.length > 0,
  );
  expect(refused.body.items).toMatchObject([{ code: 'incorrect_credentials' }]);
  await first.stop();

  expect(await printedLine(settings)).toBeUndefined();
  expect(await runCommand(['demo'], { BELLHOP_DATA_DIR: await temporaryFolder() })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no demo key in /),
  });
});

test('creates no demo key in a sandbox with a partner, unless the setting is on', async () => {
  const folder = { BELLHOP_DATA_DIR: await temporaryFolder() };
  const off = await startBellhop({ ...folder, ...BACK_OFFICE_ONLY });
  await off.newKey('sandbox');
  await off.stop();
  expect(await printedLine({ ...folder, BELLHOP_DEMO: 'off' })).toBeUndefined();
  expect(await printedLine({ ...folder, ...AUTOMATIC })).toBeUndefined();
  expect(await printedLine({ ...folder, BELLHOP_DEMO: 'on' })).toContain('curl -u ');
  // Only once: otherwise every restart would add another partner.
  expect(await printedLine({ ...folder, BELLHOP_DEMO: 'on' })).toBeUndefined();
});

test('creates no demo key if the setting is off, or without a sandbox', async () => {
  expect(await printedLine({ BELLHOP_DEMO: 'off' })).toBeUndefined();
  expect(await printedLine({ ...AUTOMATIC, BELLHOP_ENVIRONMENTS: 'production' })).toBeUndefined();
});

describeWithPostgres('on PostgreSQL', (freshDatabase) => {
  test('creates a demo key only if the setting is on', async () => {
    const settings = {
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: await freshDatabase(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    expect(await printedLine({ ...settings, ...AUTOMATIC })).toBeUndefined();
    expect(await printedLine({ ...settings, BELLHOP_DEMO: 'on' })).toContain('curl -u ');
  });
});

/** What a start in this process prints about the demo, if anything. Resolves after it has stopped. */
async function printedLine(settings: Record<string, string>): Promise<string | undefined> {
  const text: string[] = [];
  const wanted = await settingsForTest({ BELLHOP_ROLES: 'partner-api', ...settings });
  const running = await start(wanted, (line) => text.push(line));
  await running.stop();
  return curlLine(text);
}

function curlLine(startText: string[]): string | undefined {
  return startText.find((line) => line.trim().startsWith('curl'));
}

function inShell(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', line], (error, stdout, stderr) => {
      if (error) reject(new Error(`${line}: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { basic } from '../testing/bellhop.ts';
import { overview } from './called-overview.ts';
import { pointingAt, runCommand } from './cli-command.ts';
import { sharedBellhop } from './shared-bellhop.ts';

vi.setConfig({ testTimeout: 60_000 });

const bellhop = sharedBellhop();

test('a CSV file moves in, line numbers are those of the file, and an export moves it again', async () => {
  const here = pointingAt(bellhop.addresses);
  const folder = await temporaryFolder();
  const csv = join(folder, 'partners.csv');
  const row = (id: string, apiKey: string) => `"Blue, Inc.",${id},${apiKey},main`;
  const head = 'partner,key_id,api_key,label';
  await writeFile(csv, [head, row('501', 'blue-secret-0123456789'), row('x', 'short')].join('\n'));
  expect(await runCommand(['import', csv], here)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Line 3: key_id must have 1 to 18 digits and nothing else.\n' +
      'Line 3: api_key must have 16 to 128 ASCII characters and no spaces.\n' +
      'There are 2 errors, so nothing was imported.\n',
  });

  await writeFile(csv, [head, row('501', 'blue-secret-0123456789')].join('\n'));
  const trial = await runCommand(['import', csv, '--dry-run'], here);
  expect(trial).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/nothing was changed\.\n$/),
  });
  const authorization = basic('501', 'blue-secret-0123456789');
  const caller = () => overview({ ...bellhop, stop: async () => {} }, authorization);
  expect((await caller()).status).toBe(401);
  const { stdout } = await runCommand(['import', csv], here);
  expect(stdout).toMatch(/^keys +1 +0 +0 +0$/m);
  expect((await caller()).status).toBe(200);

  const plain = await runCommand(['export'], here);
  expect(plain.stdout).toMatch(/^\{"kind":"bellhop-export","version":1/);
  expect(plain.stdout).not.toContain('blue-secret');
  const file = join(folder, 'all.ndjson');
  const full = ['export', '--api-keys', '--output', file];
  expect(await runCommand(full, here)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/It holds API keys: keep it secret/),
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain('blue-secret-0123456789');
  const again = await runCommand(['import', file, '--json'], here);
  expect(JSON.parse(again.stdout)).toMatchObject({ keys: { created: 0, unchanged: 1 } });
  expect(await runCommand(full, here)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/exists already/),
  });

  expect(await runCommand(['import', csv, '--token', 'wrong'], here)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not know this token/),
  });
  expect(await runCommand(['import', join(folder, 'nothing.csv')], here)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cannot be read \(ENOENT\)/),
  });
});

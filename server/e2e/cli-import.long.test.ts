import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { runShell, shellBlock } from '../testing/shell-in-markdown.ts';
import { pointingAt, runCommand } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();

const PAGE = 'docs/operating/import.md';

test('the walk through import.md works', async () => {
  const cwd = await temporaryFolder();
  const env = { ...pointingAt(bellhop.addresses), PRODUCTION: bellhop.addresses.production };
  const run = (block: string) => runShell(inFolder(shellBlock(PAGE, block)), { cwd, env });
  await run('old-system');
  await expect(run('old-credentials')).rejects.toThrow();
  expect(await run('dry-run')).toMatch(/^keys +3 .*nothing was changed\.\n$/ms);
  await expect(run('old-credentials')).rejects.toThrow();
  expect(await run('import')).toMatch(/^keys +3 .*The import is complete\.\n$/ms);
  expect(JSON.parse(await run('old-credentials')).data).toHaveLength(43);
  await run('export');
  const plain = await readFile(join(cwd, 'partners.ndjson'), 'utf8');
  expect(plain).toMatch(/^\{"kind":"bellhop-export","version":1/);
  expect(plain).not.toContain('blue-4f1d');
  expect(await run('export-api-keys')).toMatch(/It holds API keys: keep it secret/);
  const full = join(cwd, 'everything.ndjson');
  expect((await stat(full)).mode & 0o777).toBe(0o600);
  expect(await readFile(full, 'utf8')).toContain('blue-4f1d9a60c2b84d51');
  await expect(run('export-api-keys')).rejects.toThrow(/exists already/);
  const again = await runCommand(['import', full, '--json'], pointingAt(bellhop.addresses));
  expect(JSON.parse(again.stdout)).toMatchObject({ keys: { created: 0, unchanged: 3 } });
  expect((await run('in-parts')).match(/The import is complete\./g)).toHaveLength(4);
});

test('errors have the lines of the CSV file, and nothing is imported', async () => {
  const here = pointingAt(bellhop.addresses);
  const csv = join(await temporaryFolder(), 'partners.csv');
  const rows = [
    'partner,key_id,api_key,disabled',
    'Red,501,red-secret-0123456789,maybe',
    'Red,x,short,yes',
  ];
  await writeFile(csv, rows.join('\n'));
  expect(await runCommand(['import', csv], here)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Line 2: disabled must be true or false.\n' +
      'Line 3: key_id must have 1 to 18 digits and nothing else.\n' +
      'Line 3: api_key must have 16 to 128 ASCII characters and no spaces.\n' +
      'There are 3 errors, so nothing was imported.\n',
  });
  expect(await runCommand(['import', csv, '--token', 'wrong'], here)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not know this token/),
  });
  expect(await runCommand(['import', `${csv}.gone`], here)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cannot be read \(ENOENT\)/),
  });
});

test('limits above the usual ones are imported with an approval', async () => {
  const here = pointingAt(bellhop.addresses);
  const file = join(await temporaryFolder(), 'raised.ndjson');
  const grant = { endpoint: 'api/b2b/v3/search/hp/', requests_number: 60 };
  const lines = [
    { kind: 'partner', ref: 'p', name: 'Raised', certified_at: '2019-06-30T12:00:00Z' },
    { kind: 'key', key_id: '601', partner_ref: 'p', api_key: 'raised-0123456789abcdef' },
    { kind: 'grant', key_ref: '601', ...grant },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(await runCommand(['import', file], here)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Line 3: approval_reference is missing,.*--approval-reference/),
  });
  const approved = ['import', file, '--approval-reference', 'SALES & Co. 7'];
  expect(await runCommand(approved, here)).toMatchObject({ code: 0 });
  const { body } = await bellhop.support('GET', '/support/v1/production/audit?subject=records');
  expect(body.items[0].after).toMatchObject({ approval_references: ['SALES & Co. 7'] });
});

test('a file that is too large is refused with the limit while it is still being sent', async () => {
  const file = join(await temporaryFolder(), 'large.ndjson');
  await writeFile(file, Buffer.alloc(32_000_000, '\n'));
  expect(await runCommand(['import', file], pointingAt(bellhop.addresses))).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^An import has at most 1,000,000 lines\. Split the file;/),
  });
});

/** The page runs its commands in the repository; this test in a folder of its own. */
function inFolder(code: string): string {
  return code.replaceAll('npx bellhop', 'bellhop');
}

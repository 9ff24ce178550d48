import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { processEnv } from '../../../../kit/bellhop.ts';
import { temporaryFolder } from '../../../../test/support.ts';

/** Stages 24 MB, which is more than SQLite keeps in memory, and prints the files of SQLite that are open then. */
const STAGES = `
  import { readdirSync, readlinkSync } from 'node:fs';
  import { Staging } from '${new URL('staging.ts', import.meta.url)}';
  const staging = new Staging();
  const record = { kind: 'key', id: null, target: null, body: 'x'.repeat(1_000_000) };
  for (let line = 1; line <= 24; line++) staging.add({ ...record, line, ref: String(line) });
  const links = readdirSync('/proc/self/fd').map((name) => {
    try { return readlinkSync('/proc/self/fd/' + name); } catch { return ''; }
  });
  console.log(JSON.stringify(links.filter((link) => link.includes('etilqs_'))));
  staging[Symbol.dispose]();`;

test('a large import is in TMPDIR, in one file that is deleted already', async () => {
  const folder = await temporaryFolder();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', STAGES],
    { env: { ...processEnv, TMPDIR: folder } },
  );
  const open = new RegExp(`^${folder}/etilqs_\\w+ \\(deleted\\)$`);
  expect(JSON.parse(stdout)).toEqual([expect.stringMatching(open)]);
});

/** What goes wrong around a command ends it with a sentence and an exit code, and never with a stack. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { processEnv } from '../../kit/bellhop.ts';
import { query } from '../../kit/postgres.ts';
import { describeWithPostgres, listening, temporaryFolder } from '../../test/support.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { runCommand } from './cli-command.ts';

const NOWHERE = { BELLHOP_TOKEN: 'a-token-0123456789', BELLHOP_BACK_OFFICE_PORT: '1' };

test.each<[string, string[], number, RegExp]>([
  ['a folder', ['import', '$/folder'], 2, /folder is a folder\. Pass the file to import\.$/],
  ['a socket', ['import', '$/socket'], 2, /socket cannot be read \(ENXIO\)\. Pass the file/],
  ['a missing file', ['import', '$/missing'], 2, /cannot be read \(ENOENT\)/],
  ['no server', ['import', '$/file'], 1, /^No back office answers at .* \(ECONNREFUSED\)/],
  [
    'no folder for the export',
    ['export', '--output', '$/missing/x'],
    2,
    /\(ENOENT\)\. Pass another/,
  ],
  ['no server', ['export', '--output', '$/new'], 1, /^No back office answers at /],
  [
    'a file as data folder',
    ['restore', '$/backups', '--into', '$/file'],
    2,
    /cannot be read as a fol/,
  ],
  [
    'a file as parent',
    ['restore', '$/backups', '--into', '$/file/x'],
    2,
    /^--into must name a folder that can be written to: /,
  ],
  ['a file as backup', ['restore', '$/file', '--into', '$/new'], 2, /cannot be read as a folder/],
  ['a file for backups', ['backup', '$/file'], 2, /^\[folder\] must name a folder .*EEXIST|not a/],
  [
    'a place without folders',
    ['backup', '/proc/none'],
    2,
    /^\[folder\] must name a folder .*: ENOENT/,
  ],
])('%s: %j', async (_name, args, code, sentence) => {
  const folder = await populated();
  const given = args.map((arg) => arg.replace('$', folder));
  const outcome = await runCommand(given, { ...NOWHERE, BELLHOP_DATA_DIR: join(folder, 'data') });
  expect(outcome.stderr.trimEnd()).toMatch(sentence);
  expect(outcome.stderr).toMatch(/^[^\n]+\.\n$/);
  expect(outcome.code).toBe(code);
  expect(existsSync(join(folder, 'new'))).toBe(false);
});

let made: Promise<string> | undefined;

/** A folder, a file, an embedded database and a backup of it. */
function populated(): Promise<string> {
  made ??= (async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    await once(createSocket().listen(join(folder, 'socket')).unref(), 'listening');
    writeFileSync(join(folder, 'file'), '{"kind":"partner","ref":"a","name":"A"}\n');
    const data = { BELLHOP_DATA_DIR: join(folder, 'data') };
    await (await startBellhop({ ...BACK_OFFICE_ONLY, ...data })).stop();
    expect(await runCommand(['backup', join(folder, 'backups')], data)).toMatchObject({ code: 0 });
    return folder;
  })();
  return made;
}

describeWithPostgres('a role of PostgreSQL', (emptyDatabase) => {
  test('without the right to create tables is refused with a sentence', async () => {
    const admin = await emptyDatabase();
    const url = new URL(admin);
    url.username = `bellhop_${url.pathname.slice(-16)}`;
    await query(admin, `create role ${url.username} login`);
    onTestFinished(async () => void (await query(admin, `drop role ${url.username}`)));
    const dataDir = join(await populated(), 'data');
    const args = ['move', '--environment', 'sandbox', '--to', url.href];
    const outcome = await runCommand(args, { BELLHOP_DATA_DIR: dataDir });
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^PostgreSQL refused: permission denied for [^\n]+\.\n$/),
    });
  });
});

/** Calls itself a back office. Its address is in the settings. */
async function answering(answer: RequestListener): Promise<Record<string, string>> {
  const { port } = await listening(createServer(answer));
  return { ...NOWHERE, BELLHOP_BACK_OFFICE_PORT: String(port) };
}

test.skipIf(!existsSync('/proc/self/mem'))(
  'a file that fails while it is sent is what the command tells of',
  async () => {
    const settings = await answering((request) => void request.resume());
    expect(await runCommand(['import', '/proc/self/mem'], settings)).toMatchObject({
      code: 2,
      stderr: '/proc/self/mem cannot be read (EIO). Pass the file to import.\n',
    });
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'an export that gets %s leaves nothing',
  async (signal) => {
    const settings = await answering((_request, response) => {
      response.write('{"kind":"bellhop-export","version":1}\n');
    });
    const folder = await temporaryFolder();
    const bin = join(import.meta.dirname, '../bin/bellhop.js');
    const args = [bin, 'export', '--output', join(folder, 'all')];
    const child = spawn(process.execPath, args, { env: { ...processEnv, ...settings } });
    const ended = once(child, 'exit');
    const partial = join(folder, 'all.partial');
    await vi.waitUntil(() => existsSync(partial) && statSync(partial).size > 0, 20_000);
    expect(readdirSync(folder)).toEqual(['all.partial']);
    expect(statSync(partial).mode & 0o777).toBe(0o600);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

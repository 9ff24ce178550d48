/** The same mistake ends every command with the same exit code: 2 if the call has to change, otherwise 1. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { systemClock } from '../base/clock.ts';
import { ConfigError, PreconditionFailed } from '../base/config/config.ts';
import { DatabaseAway } from '../base/database-errors.ts';
import { RESTORING } from '../base/folders.ts';
import { Vault } from '../base/sealing/vault.ts';
import { start } from '../main/main.ts';
import { takeBackup } from '../operate/backup/take-backup.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { UsageError } from './failures.ts';
import { failureOf } from './main.ts';
import { loadProgram } from './program.ts';
import { SERVE_EXITS } from './serve-exits.ts';

const NOWHERE = 'postgres://postgres@127.0.0.1:1/none';
const environment = 'production';
const masterKey = randomBytes(32);

const SETTINGS = {
  BELLHOP_ENVIRONMENTS: environment,
  BELLHOP_DATA_DIR: '$/empty',
  // Of a back office that does not answer.
  BELLHOP_TOKEN: 'a-token-0123456789',
  BELLHOP_BACK_OFFICE_PORT: '1',
};

/** Runs the command in this process. */
async function codeOf(args: string[], settings: Record<string, string>) {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  try {
    await (await loadProgram(args)).parseAsync(args, { from: 'user' });
    return { code: 0, sentence: '' };
  } catch (error) {
    return await failureOf(error, args[0]);
  } finally {
    vi.unstubAllEnvs();
  }
}

interface Mistake {
  name: string;
  code: number;
  says?: RegExp;
  settings?: Record<string, string>;
  calls: string[][];
}

const mistakes: Mistake[] = [
  {
    name: 'an invalid setting',
    code: 2,
    settings: { BELLHOP_DEMO: 'perhaps' },
    calls: [['backup'], ['reseal'], ['move', '--to', NOWHERE]],
  },
  {
    name: 'an option that does not exist',
    code: 2,
    calls: ['backup', 'restore', 'reseal', 'move', 'import', 'export'].map((name) => [
      name,
      '--fly',
    ]),
  },
  {
    name: 'a data folder without a database',
    code: 2,
    settings: { BELLHOP_DATA_DIR: '$/empty' },
    calls: [['backup'], ['reseal'], ['reseal', '--check'], ['move', '--to', NOWHERE]],
  },
  {
    name: 'something that does not exist',
    code: 2,
    calls: [
      ['restore', '$/none', '--into', '$/new'],
      ['import', '$/none'],
      ['export', '--output', '$/none/x'],
      ['move', '--from', '$/none', '--to', NOWHERE],
    ],
  },
  {
    name: 'a copy that cannot be one',
    code: 2,
    says: /^--on-copy [^\n]+\.$/,
    settings: {
      BELLHOP_PRODUCTION_DATABASE_URL: NOWHERE,
      BELLHOP_MASTER_KEY: newMasterKey(),
    },
    calls: [
      ['migrate', '--on-copy', `${NOWHERE}-copy`],
      ['migrate', '--plan', '--on-copy', 'copy'],
      ['migrate', '--plan', '--on-copy', NOWHERE],
    ],
  },
  {
    name: 'a target that is there already',
    code: 2,
    calls: [
      ['restore', '$/backups', '--into', '$/full'],
      ['export', '--output', '$/full/file'],
    ],
  },
  {
    name: 'a data folder that a restore has not completed',
    code: 1,
    settings: { BELLHOP_DATA_DIR: '$/restoring' },
    calls: [
      ['backup'],
      ['reseal'],
      ['move', '--to', NOWHERE],
      ['move', '--from', NOWHERE, '--to', '$/restoring'],
      ['restore', '$/backups', '--into', '$/restoring'],
    ],
  },
  {
    name: 'a data folder that a move has not completed',
    code: 1,
    settings: { BELLHOP_DATA_DIR: '$/moving' },
    calls: [['backup'], ['reseal'], ['reseal', '--new-key']],
  },
  {
    name: 'a database that cannot be reached',
    code: 1,
    settings: {
      BELLHOP_PRODUCTION_DATABASE_URL: NOWHERE,
      BELLHOP_MASTER_KEY: newMasterKey(),
    },
    calls: [
      ['reseal'],
      ['migrate'],
      ['migrate', '--plan'],
      ['migrate', '--plan', '--on-copy', `${NOWHERE}-copy`],
      ['move', '--from', NOWHERE, '--to', '$/new'],
      ['import', '$/full/file'],
      ['export'],
    ],
  },
  {
    name: 'a database of a version from before the first release',
    code: 2,
    says: /from before its first release[^\n]+\.$/,
    settings: {
      BELLHOP_DATA_DIR: '$/unreleased',
      BELLHOP_MASTER_KEY: masterKey.toString('base64'),
    },
    calls: [['reseal'], ['move', '--to', NOWHERE]],
  },
  {
    name: 'a server that still runs',
    code: 1,
    settings: {
      BELLHOP_DATA_DIR: '$/served',
      BELLHOP_MASTER_KEY: newMasterKey(),
      BELLHOP_PREVIOUS_MASTER_KEYS: masterKey.toString('base64'),
    },
    calls: [['reseal'], ['move', '--to', NOWHERE]],
  },
];

let folder: string;
let close: () => Promise<void>;

beforeAll(async () => {
  folder = await temporaryFolder();
  for (const name of ['empty', 'restoring', 'moving', 'full']) mkdirSync(join(folder, name));
  mkdirSync(join(folder, 'restoring', RESTORING));
  mkdirSync(join(folder, 'moving', 'production.moving'));
  writeFileSync(join(folder, 'full', 'file'), '{}\n');
  const dataDir = join(folder, 'served');
  const store = await openSqliteStore({
    ...{ folder: join(dataDir, environment), environment, clock: systemClock },
    vault: new Vault(masterKey, environment),
  });
  const into = join(folder, 'backups');
  const now = new Date();
  const backup = await takeBackup({ dataDir, into, withSecrets: false, now, onProgress() {} });
  cpSync(backup.folder, join(folder, 'unreleased'), { recursive: true });
  const database = new DatabaseSync(join(folder, 'unreleased', environment, 'bellhop.db'));
  database.exec("update kysely_migration set name = '0001-environment'");
  database.close();
  close = store.close;
});

afterAll(() => close());

describe.each(mistakes)('$name: exit $code', ({ code, says, settings = {}, calls }) => {
  test.each(calls.map((args) => ({ args })))('$args', async ({ args }) => {
    const filled = (text: string) => text.replace('$', folder);
    const given = { ...SETTINGS, ...settings };
    const known = Object.entries(given).map(([name, value]) => [name, filled(value)]);
    const outcome = await codeOf(args.map(filled), Object.fromEntries(known));
    const sentence = expect.stringMatching(says ?? /^[^\n]+\.$/);
    expect(outcome).toEqual({ code, sentence });
  });
});

describe('serve: the exit code of a refused start says what has to change', () => {
  test.each([
    [new ConfigError('BELLHOP_DEMO must be on or off.'), 78],
    [new ConfigError('The database was used by a newer Bellhop.', 'data'), 65],
    [new PreconditionFailed('The file is damaged.'), 65],
    [new PreconditionFailed('Another Bellhop process is using data.', 'busy'), 75],
    [new ConfigError('The database cannot be opened.', 'unavailable'), 69],
    [new UsageError('"serve" takes no arguments.'), 2],
  ])('%s', async (error, code) => {
    expect(await failureOf(error, 'serve')).toEqual({ code, sentence: error.message });
    expect(SERVE_EXITS.map((exit) => exit.code)).toContain(code);
  });

  test('and it is 69 if PostgreSQL goes away meanwhile', async () => {
    const away = new DatabaseAway('PostgreSQL does not answer');
    const sentence = 'PostgreSQL does not answer. Try again later.';
    expect(await failureOf(away, 'serve')).toEqual({ code: 69, sentence });
    expect(await failureOf(away, 'reseal')).toEqual({ code: 1, sentence });
  });

  test.each<[number, RegExp, Record<string, string>]>([
    [78, /^BELLHOP_DEMO /, { BELLHOP_DEMO: 'perhaps' }],
    [65, /from before its first release/, { BELLHOP_DATA_DIR: '$/unreleased' }],
    [65, /was made with another BELLHOP_MASTER_KEY/, { BELLHOP_MASTER_KEY: newMasterKey() }],
    [75, /has not completed/, { BELLHOP_DATA_DIR: '$/restoring' }],
    [75, /^Another Bellhop process is using /, {}],
    [75, /is taken/, { BELLHOP_BACK_OFFICE_PORT: '$port' }],
    [69, /cannot be opened/, { BELLHOP_PRODUCTION_DATABASE_URL: NOWHERE }],
  ])('%s: %s', async (code, says, settings) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const given = {
      BELLHOP_ENVIRONMENTS: environment,
      BELLHOP_ROLES: 'back-office',
      BELLHOP_DATA_DIR: '$/served',
      BELLHOP_BACK_OFFICE_PORT: '0',
      BELLHOP_MASTER_KEY: masterKey.toString('base64'),
      ...settings,
    };
    const filled = Object.entries(given).map(([name, value]) => [
      name,
      value.replace('$port', String(port)).replace('$', folder),
    ]);
    const error = await start(Object.fromEntries(filled), () => {}).catch((reason) => reason);
    server.close();
    expect(await failureOf(error, 'serve')).toEqual({
      code,
      sentence: expect.stringMatching(says),
    });
  });
});

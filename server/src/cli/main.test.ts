import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';

// Whole processes are started, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function bellhop(args: string[], settings: Record<string, string> = {}): Promise<Outcome> {
  const env = { PATH: process.env.PATH ?? '', ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [BELLHOP, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('help', () => {
  test('lists the commands', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout } = await bellhop(args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ {2}serve +run the server$/m);
      expect(stdout).toMatch(/^ {2}config +list the settings/m);
    }
  });

  test('is what bad usage gets, with exit 2', async () => {
    expect(await bellhop([])).toMatchObject({ code: 2, stdout: expect.stringContaining('Usage') });
    expect(await bellhop(['fly'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is no command "fly"; "bellhop --help" lists those there are.\n',
    });
    expect((await bellhop(['__proto__'])).code).toBe(2);
  });

  test('tells of each command, without doing anything', async () => {
    for (const command of ['serve', 'config']) {
      const { code, stdout } = await bellhop([command, '--help'], { BELLHOP_NONSENSE: 'x' });
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: bellhop ${command}`));
    }
  });

  test('is named when a command does not take an argument', async () => {
    for (const args of [
      ['serve', '--port=1'],
      ['serve', 'now'],
      ['config', '--xml'],
    ]) {
      expect(await bellhop(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: `"bellhop ${args[0]}" takes no "${args[1]}"; "bellhop ${args[0]} --help" tells what it takes.\n`,
      });
    }
  });
});

describe('config', () => {
  const secrets = {
    BELLHOP_MASTER_KEY: MASTER_KEY,
    BELLHOP_ADMIN_TOKEN: 'hunter2-hunter2-hunter2',
    BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://user:hunter2@db/name',
    BELLHOP_SANDBOX_REDIS_URL: 'redis://:hunter2@cache',
  };

  test('prints name, meaning, default and what is in force, and no secret', async () => {
    const { code, stdout, stderr } = await bellhop(['config'], {
      ...secrets,
      BELLHOP_SANDBOX_PORT: '9000',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      'BELLHOP_SANDBOX_PORT\n  Port of the sandbox partner API; 0 picks a free one.\n' +
        '  default: 8081\n  now:     9000\n',
    );
    expect(stdout).toMatch(/BELLHOP_MASTER_KEY\n.*\n.*\n {2}now: {5}\(set\)\n/);
    expect(stdout).not.toMatch(/hunter2/);
    expect(stdout).not.toContain(MASTER_KEY);
  });

  test('prints the same as JSON', async () => {
    const { stdout } = await bellhop(['config', '--json'], secrets);
    const listed: { name: string; current: string }[] = JSON.parse(stdout);
    expect(listed.find(({ name }) => name === 'BELLHOP_ADMIN_TOKEN')?.current).toBe('(set)');
    expect(stdout).not.toMatch(/hunter2/);
  });

  test('leaves alone what other commands read from the same shell', async () => {
    const theirs = { BELLHOP_KEY_ID: '1', BELLHOP_API_KEY: 'hunter2', BELLHOP_TOKEN: 'hunter2' };
    const { code, stdout } = await bellhop(['config'], theirs);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/hunter2|BELLHOP_TOKEN/);
  });

  test('exits with 2 and one sentence when a setting is bad, having listed them', async () => {
    const { code, stdout, stderr } = await bellhop(['config'], {
      BELLHOP_SANDBOX_UPSTREAM_URL: 'http://user:hunter2@core',
    });
    expect(code).toBe(2);
    expect(stderr).toBe('BELLHOP_SANDBOX_UPSTREAM_URL must have no user, query or fragment.\n');
    expect(stdout).toContain('BELLHOP_SANDBOX_UPSTREAM_URL');
    expect(stdout).not.toMatch(/hunter2/);
  });
});

test('serve stops at a bad setting with exit 2 and one sentence that names it', async () => {
  expect(await bellhop(['serve'], { BELLHOP_DEMO: 'perhaps' })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'BELLHOP_DEMO must be on or off, not "perhaps".\n',
  });
  expect(await bellhop(['serve'], { BELLHOP_PRODUCTION_PROT: '80' })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^BELLHOP_PRODUCTION_PROT is not a setting of Bellhop.*\n$/),
  });
});

test.each(['--version', 'version'])('%s prints the version', async (argument) => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(await bellhop([argument])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

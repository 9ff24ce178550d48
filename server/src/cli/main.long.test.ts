import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';

// These tests start whole processes, which is slow on a busy machine.
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

test('runs on a Node that was built without a debugger', async () => {
  const preload = `
    import { registerHooks } from 'node:module';
    process.features.inspector = false;
    registerHooks({
      resolve(name, context, next) {
        if (name === 'node:inspector') throw new Error('Inspector is not available');
        return next(name, context);
      },
    });`;
  const options = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
  expect(await bellhop(['--version'], { NODE_OPTIONS: options })).toMatchObject({ code: 0 });
});

describe('help', () => {
  test('lists the commands', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout } = await bellhop(args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ {2}serve +run the server; the default$/m);
      expect(stdout).toMatch(/^ {2}config +list the settings/m);
      const headings = stdout.match(/^\S.*:$/gm);
      expect(headings).toEqual(['Options:', 'For partners:', 'For support:', 'For operators:']);
    }
  });

  test('is suggested for bad usage, with exit 2', async () => {
    expect(await bellhop(['fly'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is no command "fly". See "bellhop --help".\n',
    });
    expect((await bellhop(['__proto__'])).code).toBe(2);
    expect(await bellhop(['--fly'])).toEqual({
      code: 2,
      stdout: '',
      stderr: '"bellhop" has no "--fly". See "bellhop --help".\n',
    });
  });

  test('describes each command without running it', async () => {
    for (const command of ['serve', 'config']) {
      const { code, stdout } = await bellhop([command, '--help'], { BELLHOP_NONSENSE: 'x' });
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: bellhop ${command}`));
    }
  });

  test('is mentioned when a command gets an unknown argument', async () => {
    for (const args of [
      ['serve', '--port=1'],
      ['serve', 'now'],
      ['config', '--xml'],
    ]) {
      expect(await bellhop(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: `"bellhop ${args[0]}" has no "${args[1]}". See "bellhop ${args[0]} --help".\n`,
      });
    }
  });

  test.each([
    [['triger'], 'There is no command "triger". Did you mean "trigger"? See "bellhop --help".'],
    [
      ['trigger', '--tpye', 'created'],
      '"bellhop trigger" has no "--tpye". Did you mean "--type"? See "bellhop trigger --help".',
    ],
    [
      ['tokens', '--json', 'list'],
      '"--json" goes after list, create or revoke. See "bellhop tokens --help".',
    ],
    [['config', '--json=yes'], '"--json" takes no value. See "bellhop config --help".'],
    [['config', '--json', '--markdown'], '--json and --markdown cannot be used together.'],
    [
      ['overview', '--key-id', '--json'],
      '"--key-id" needs a value, not "--json". See "bellhop overview --help".',
    ],
    [['completion', 'tcsh'], '<shell> must be bash, zsh or fish, not "tcsh".'],
    [
      ['help', 'triger'],
      'There is no command "triger". Did you mean "trigger"? See "bellhop --help".',
    ],
    [
      ['tokens', 'creat'],
      'The word after "bellhop tokens" must be list, create or revoke, not "creat". Did you mean "create"? See "bellhop tokens --help".',
    ],
    [['help', 'completion', 'zsh'], 'There is no command "completion zsh". See "bellhop --help".'],
    [['help', 'fly'], 'There is no command "fly". See "bellhop --help".'],
  ])(
    'explains what is wrong with %j, and suggests what was probably meant',
    async (args, sentence) => {
      expect(await bellhop(args)).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
    },
  );
});

describe('config', () => {
  const secrets = {
    BELLHOP_MASTER_KEY: MASTER_KEY,
    BELLHOP_ADMIN_TOKEN: 'hunter2-hunter2-hunter2',
    BELLHOP_PRODUCTION_DATABASE_URL: 'postgres://user:hunter2@db/name',
    BELLHOP_SANDBOX_REDIS_URL: 'redis://:hunter2@cache',
  };

  test('prints name, meaning, default and current value, and no secrets', async () => {
    const { code, stdout, stderr } = await bellhop(['config'], {
      ...secrets,
      BELLHOP_SANDBOX_PORT: '9000',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      'BELLHOP_SANDBOX_PORT\n  Port of the sandbox partner API; 0 picks a free one.\n' +
        '  default: 8081\n  now:     9000\n',
    );
    expect(stdout).toMatch(
      /BELLHOP_MASTER_KEY, or BELLHOP_MASTER_KEY_FILE\n.*\n.*\n {2}now: {5}\(set\)\n/,
    );
    expect(stdout).not.toMatch(/hunter2/);
    expect(stdout).not.toContain(MASTER_KEY);
  });

  test('prints the same as JSON', async () => {
    const { stdout } = await bellhop(['config', '--json'], secrets);
    const listed: { name: string; current: string }[] = JSON.parse(stdout);
    expect(listed.find(({ name }) => name === 'BELLHOP_ADMIN_TOKEN')?.current).toBe('(set)');
    expect(stdout).not.toMatch(/hunter2/);
  });

  test('ignores the variables of other commands', async () => {
    const theirs = { BELLHOP_KEY_ID: '1', BELLHOP_API_KEY: 'hunter2', BELLHOP_TOKEN: 'hunter2' };
    const { code, stdout } = await bellhop(['config'], theirs);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/hunter2|BELLHOP_TOKEN/);
  });

  test('lists the settings, then names every bad one and exits with 2', async () => {
    const { code, stdout, stderr } = await bellhop(['config'], {
      BELLHOP_DEMO: 'perhaps',
      BELLHOP_PRODUCTION_PROT: '80',
      BELLHOP_SANDBOX_RETENTION: 'long',
    });
    expect(code).toBe(2);
    expect(stdout).toContain('BELLHOP_DEMO');
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^BELLHOP_PRODUCTION_PROT is not a setting of Bellhop.*\.$/),
      'BELLHOP_DEMO must be on or off, not "perhaps".',
      expect.stringMatching(/^BELLHOP_SANDBOX_RETENTION must be a time .*\.$/),
    ]);
  });

  test('does not print the password of a bad setting', async () => {
    const { code, stdout, stderr } = await bellhop(['config'], {
      BELLHOP_SANDBOX_UPSTREAM_URL: 'http://user:hunter2@core',
    });
    expect(code).toBe(2);
    expect(stderr).toBe('BELLHOP_SANDBOX_UPSTREAM_URL must have no user, query or fragment.\n');
    expect(stdout).toContain('BELLHOP_SANDBOX_UPSTREAM_URL');
    expect(stdout).not.toMatch(/hunter2/);
  });
});

test('serve exits with 78 and one sentence that names a bad setting, with or without the word', async () => {
  for (const args of [['serve'], []]) {
    expect(await bellhop(args, { BELLHOP_DEMO: 'perhaps' })).toEqual({
      code: 78,
      stdout: '',
      stderr: 'BELLHOP_DEMO must be on or off, not "perhaps".\n',
    });
  }
  expect(await bellhop(['serve'], { BELLHOP_PRODUCTION_PROT: '80' })).toMatchObject({
    code: 78,
    stdout: '',
    stderr: expect.stringMatching(/^BELLHOP_PRODUCTION_PROT is not a setting of Bellhop.*\n$/),
  });
});

test.each([
  [['--version']],
  [['-v']],
  [['-V']],
  [['version']],
  [['trigger', '--version']],
  [['tokens', 'create', '--version']],
  [['check-receiver', 'https://example.com', '--version']],
])('%j prints the version', async (args) => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(await bellhop(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('closes a debugger that SIGUSR1 has opened before Bellhop could refuse it', async () => {
  const early = `
    import inspector from 'node:inspector';
    process.kill(process.pid, 'SIGUSR1');
    // If another program has the port of the debugger, it never opens.
    const until = Date.now() + 5_000;
    while (!inspector.url() && Date.now() < until) await new Promise(setImmediate);
    process.on('exit', () => console.log(inspector.url()));`;
  const preload = `data:text/javascript,${encodeURIComponent(early)}`;
  const { code, stdout } = await bellhop(['--version'], { NODE_OPTIONS: `--import=${preload}` });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nundefined\n$/);
});

describe('compiled code', () => {
  test('is cached for the next start', async () => {
    const folder = await temporaryFolder();
    await bellhop(['--version'], { NODE_COMPILE_CACHE: folder });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('is optional: a folder that cannot be written to causes no error', async () => {
    const outcome = await bellhop(['--version'], { NODE_COMPILE_CACHE: '/dev/null/x' });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });
});

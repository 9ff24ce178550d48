import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { checkReceiverCommand } from './check-receiver.ts';
import { listenCommand } from './listen.ts';
import { parseCommand } from './parse.ts';

const CALLED = 'npx @bellhop/partner listen';
const listen = (args: string[], env = {}) => parseCommand(listenCommand, CALLED, args, env);
const check = (args: string[], env = {}) => parseCommand(checkReceiverCommand, CALLED, args, env);

test('values come from the command line, then from variables, then from the declaration', () => {
  const defaults = { port: 4242, path: '/hook', reply: 200, tolerance: 15 };
  expect(listen([]).values).toEqual({ ...defaults });
  expect(listen([], { BELLHOP_API_KEY: ' k\n' }).values).toMatchObject({ apiKey: 'k' });
  const { values, given } = listen(
    ['--api-key', 'own', '--port=0', '--tolerance', 'off', '--json'],
    { BELLHOP_API_KEY: 'k' },
  );
  expect(values).toEqual({ ...defaults, apiKey: 'own', port: 0, tolerance: false, json: true });
  expect([...given]).toEqual(['apiKey', 'port', 'tolerance', 'json']);
});

test('an argument may stand anywhere, and options may be repeated', () => {
  const { argument, values } = check(['--only', 'a', 'http://x/', '--only=b', '--']);
  expect(argument).toBe('http://x/');
  expect(values).toMatchObject({ only: ['a', 'b'], form: 'both', timeout: 10_000 });
  expect(check(['--list', '-h']).wantsHelp).toBe(true);
});

describe('the key may be in a file', () => {
  test('which must hold one', async () => {
    const file = join(await temporaryFolder(), 'key');
    const inFile = () => listen([], { BELLHOP_API_KEY_FILE: file });
    expect(inFile).toThrow(
      /^BELLHOP_API_KEY_FILE must name a file .* cannot be read \(ENOENT\)\.$/,
    );
    writeFileSync(file, '\n');
    expect(inFile).toThrow(/ is empty\.$/);
    writeFileSync(file, 'secret\n');
    expect(inFile().values).toMatchObject({ apiKey: 'secret' });
    expect(() => listen([], { BELLHOP_API_KEY_FILE: file, BELLHOP_API_KEY: 'k' })).toThrow(
      'BELLHOP_API_KEY_FILE must not be set together with BELLHOP_API_KEY: remove one of them.',
    );
    const ignored = listen(['--api-key', 'own'], { BELLHOP_API_KEY_FILE: '/nonesuch' });
    expect(ignored.values).toMatchObject({ apiKey: 'own' });
  });
});

test.each<[string[], string]>([
  [['--fast'], `"${CALLED}" has no "--fast". See "${CALLED} --help".`],
  [['-x'], `"${CALLED}" has no "-x". See "${CALLED} --help".`],
  [['more'], `"${CALLED}" has no "more". See "${CALLED} --help".`],
  [['--port'], `"--port" needs a value. See "${CALLED} --help".`],
  [['--api-key', '--json'], `"--api-key" needs a value, not "--json". See "${CALLED} --help".`],
  [['--json=yes'], `"--json" takes no value. See "${CALLED} --help".`],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000".'],
  [['--path', 'hook'], '--path must begin with "/", such as /hook, not hook.'],
  [['--forward', 'x'], '--forward must be a URL such as http://127.0.0.1:8090, not "x".'],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => listen(args)).toThrow(sentence);
});

test('a value that is not a choice is refused with the choices', () => {
  expect(() => check(['--form', 'xml'])).toThrow('--form must be data, flat or both, not "xml".');
  expect(() => check(['--timeout', '0s'])).toThrow('--timeout must be longer than 0.');
});

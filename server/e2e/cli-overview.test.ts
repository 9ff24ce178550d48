import { expect, test } from 'vitest';
import { freePort } from '../../test/support.ts';
import { pointingAt, runCommand } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

// These tests start whole processes, which is slow on a busy machine.
const bellhop = sharedBellhop();

test("prints the key's endpoints as a table, without colours when piped", async () => {
  const { keyId, apiKey } = await bellhop.newKey('sandbox');
  const { code, stdout, stderr } = await runCommand(
    ['overview', '--key-id', keyId, '--api-key', apiKey],
    pointingAt(bellhop.addresses),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(44);
  expect(lines[0]).toMatch(/^endpoint +is_active +is_debug_mode +is_limited +limit$/);
  expect(lines[1]).toMatch(/hotelsort\/ +yes +no +yes +100 requests in 10 seconds$/);
  expect(stdout).toMatch(/finish\/status\/ +yes +no +no +no limit$/m);
  expect(stdout).toMatch(/overview\/ +yes +no +yes +100 requests a day$/m);
});

test('prints the entries as JSON, with the key from the environment', async () => {
  const { keyId, apiKey } = await bellhop.newKey('production', { endpoints: [] });
  const { code, stdout } = await runCommand(
    ['overview', '--url', `${bellhop.addresses.production}/`, '--json'],
    { BELLHOP_KEY_ID: keyId, BELLHOP_API_KEY: apiKey },
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    {
      endpoint: 'api/b2b/v3/overview/',
      is_active: true,
      is_debug_mode: false,
      is_limited: true,
      requests_number: 100,
      seconds_number: 86_400,
    },
  ]);
});

test('exits with 1 and says what to do if the call is refused', async () => {
  const { keyId } = await bellhop.newKey('sandbox');
  const args = ['overview', '--key-id', keyId, '--api-key', 'wrong'];
  const refused = await runCommand(args, pointingAt(bellhop.addresses));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/401: incorrect_credentials. Check key id and API key.*request /);

  const nobody = `http://127.0.0.1:${await freePort()}`;
  const unreached = await runCommand([...args, '--url', nobody]);
  expect(unreached).toMatchObject({ code: 1, stdout: '' });
  expect(unreached.stderr).toMatch(/^No partner API answers at .*ECONNREFUSED.*--url\.\n$/);
});

test('requires a key and a valid address', async () => {
  expect(await runCommand(['overview'])).toMatchObject({
    code: 2,
    stderr: 'Which key? Pass --key-id, or set BELLHOP_KEY_ID.\n',
  });
  expect((await runCommand(['overview', '--key-id', '1'])).stderr).toMatch(/BELLHOP_API_KEY/);
  const bad = ['overview', '--key-id', '1', '--api-key', 'x', '--url', 'nowhere'];
  expect(await runCommand(bad)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--url must be a URL such as/),
  });
  expect(await runCommand(['overview', '--key-id'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^"--key-id" needs a value\. See "bellhop overview --help"\.\n$/),
  });
});

/** What `bellhop api` refuses, what it says of operations, and what a terminal shows. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathFolders } from '../../kit/find.ts';
import { pointingAt, runCommand, runOnTerminal } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop(() => ({ BELLHOP_DEMO: 'off' }));
const api = (...args: string[]) => runCommand(['api', ...args], pointingAt(bellhop.addresses));

describe('refuses, with exit 2,', () => {
  test.each([
    [['GET', 'keys/99'], /^There is no such key in production\. "bellhop keys list --environment/],
    [['GET', 'audit/x/revert'], /^audit\/{id}\/revert takes POST, not GET\.\n$/],
    [['FLY', 'keys'], /^The word after "bellhop api" must be GET, POST, .* not "FLY"\.\n$/],
    [['GET', 'keys/{key_id}'], /^Put the real value in place of {key_id}\.\n$/],
    [
      ['GET', '/support/v1/moon/keys'],
      /^The environment must be production or sandbox, not "moon"/,
    ],
    [
      ['GET', '/support/v1/sandbox/keys', '--environment', 'production'],
      /^The path says sandbox, /,
    ],
    [['GET', 'stats', '--csv'], /^GET stats is not a list, so --csv cannot write it\.\n$/],
    [['GET', 'keys', '--csv', '--json'], /cannot be used together\.\n$/],
    [['GET', 'keys', '-'], /^GET keys takes no body, so leave out the "-"\.\n$/],
    [
      ['PATCH', 'keys/1', '-', 'label=x'],
      /^label belongs to the body, which comes from the standard/,
    ],
    [['PATCH', 'keys/1', 'label:=5'], /label must be a string or null/],
    [
      ['nonsense'],
      /^No operation has "nonsense" in its path\. "bellhop api" lists all of them\.\n$/,
    ],
    [['--help', 'key/1'], /^There is no path "key\/1"\. Did you mean "keys\/1"\?/],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await api(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(sentence);
  });
});

test('lists operations and describes them without a server', async () => {
  const alone = (...args: string[]) => runCommand(['api', ...args]);
  const all = await alone();
  expect(all.stdout).toMatch(/^ {2}PATCH +keys\/{key_id} +Change the label/m);
  const some = await alone('midoffices');
  expect(some.stdout).toMatch(/^ {2}POST +midoffices +Register a midoffice/m);
  expect(some.stdout).not.toContain('Revoke a key');
  expect(JSON.parse((await alone('put', '--json')).stdout)).toEqual([
    expect.objectContaining({ method: 'PUT', path: 'keys/{key_id}/endpoints' }),
  ]);
  const help = await alone('--help', 'keys/1234');
  expect(help.stdout.match(/^[A-Z]+ keys\/{key_id}$/gm)).toHaveLength(3);
  expect((await alone('PATCH', 'keys/1234', '--help')).stdout).toMatch(
    /^PATCH keys[\s\S]+^ {2}disabled +true or false$/m,
  );
});

const hasScript = pathFolders().some((folder) => existsSync(join(folder, 'script')));

test.skipIf(process.platform !== 'linux' || !hasScript)(
  'a terminal obeys nothing that a partner wrote',
  async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    await bellhop.support('POST', '/orders/v1/sandbox/events', {
      ...{ event_id: 'api-escapes', type: 'created', partner_id: partnerId },
      partner_order_id: 'a\u001b]0;owned\u0007\u009b31m\u202eb',
    });
    const list = ['api', 'GET', 'deliveries', `partner_id=${partnerId}`, '--environment=sandbox'];
    for (const format of [[], ['--json'], ['--csv']]) {
      const shown = await runOnTerminal([...list, ...format], {
        ...pointingAt(bellhop.addresses),
        NO_COLOR: '1',
      });
      expect(shown).toContain('del_');
      expect(shown.replace(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  },
);

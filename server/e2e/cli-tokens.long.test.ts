import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { pointingAt, runCommand } from './cli-command.ts';

const BACK_OFFICE = { BELLHOP_ROLES: 'back-office' };

/** This server has no partner API. */
const at = (backOffice: string) =>
  pointingAt({ sandbox: backOffice, production: backOffice, backOffice, portal: backOffice });

test('creates, lists and revokes tokens', async () => {
  const bellhop = await startBellhop(BACK_OFFICE);
  const here = at(bellhop.addresses.backOffice);
  const create = ['tokens', 'create', '--name', 'booking core', '--role', 'orders'];
  const made = JSON.parse((await runCommand([...create, '--json'], here)).stdout);
  expect(made).toMatchObject({ name: 'booking core', role: 'orders', token: expect.any(String) });

  const { stdout } = await runCommand(['tokens', 'list'], here);
  expect(stdout).toMatch(new RegExp(`^${made.id} +booking core +orders +20`, 'm'));
  expect(stdout).not.toContain(made.token);
  const listed = JSON.parse((await runCommand(['tokens', 'list', '--json'], here)).stdout);
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(['tok_first', made.id]);

  const brief = ['tokens', 'create', '--name', 'audit', '--role', 'viewer', '--expires-in', '30d'];
  const said = (await runCommand(brief, here)).stdout;
  const [, id = '', until = ''] =
    /^(\S+), role viewer, until (\S+ \S+Z)\. It is shown/.exec(said) ?? [];
  expect(Math.abs(Date.parse(until) - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
  const after = (await runCommand(['tokens', 'list'], here)).stdout;
  expect(after).toMatch(new RegExp(`^${id} +audit +viewer +\\S+ \\S+ +never +${until}`, 'm'));
  expect(after).toMatch(/^tok_first +admin +admin +\S+ \S+Z +20\S+ \S+Z +never/m);
  await runCommand(['tokens', 'revoke', id], here);

  const forbidden = await runCommand(['tokens', 'list', '--token', made.token], here);
  expect(forbidden).toMatchObject({ code: 1, stderr: expect.stringMatching(/another role/) });
  expect(await runCommand(['tokens', 'revoke', made.id], here)).toMatchObject({
    code: 0,
    stdout: `${made.id} is revoked.\n`,
  });
  const gone = await runCommand(['tokens', 'list', '--token', made.token], here);
  expect(gone).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not know this token/),
  });
  expect((await runCommand(['tokens', 'revoke', 'tok_first'], here)).code).toBe(1);
  expect(await runCommand(['tokens', 'revoke', 'nope'], here)).toMatchObject({
    code: 2,
    stderr: 'There is no token "nope". "bellhop tokens list" shows the ids.\n',
  });
});

test('finds the token that a local server keeps, and sends it nowhere else', async () => {
  const folder = await temporaryFolder();
  const bellhop = await startBellhop({
    ...BACK_OFFICE,
    BELLHOP_DATA_DIR: folder,
    BELLHOP_ADMIN_TOKEN: '',
  });
  const { BELLHOP_BACK_OFFICE_PORT } = at(bellhop.addresses.backOffice);
  const here = { BELLHOP_BACK_OFFICE_PORT: BELLHOP_BACK_OFFICE_PORT as string };
  const found = await runCommand(['tokens', 'list'], { ...here, BELLHOP_DATA_DIR: folder });
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tok_first/m) });

  const elsewhere = await runCommand(['tokens', 'list'], {
    ...here,
    BELLHOP_DATA_DIR: await temporaryFolder(),
  });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/BELLHOP_TOKEN/) });
  const remote = ['tokens', 'list', '--back-office', 'https://bellhop.invalid'];
  expect(await runCommand(remote, { BELLHOP_DATA_DIR: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/is only sent to this machine\.\n$/),
  });
});

test('exits with 2 and explains bad usage', async () => {
  for (const [args, words] of [
    [['tokens'], /must be list, create or revoke\. See "bellhop tokens --help"\.\n$/],
    [['tokens', 'delete'], /must be list, create or revoke, not "delete"/],
    [['tokens', 'list', 'tok_1'], /^"bellhop tokens list" has no "tok_1"\. /],
    [['tokens', 'create', '--role', 'orders'], /^"bellhop tokens create" needs --name <name>: /],
    [['tokens', 'create', '--name', 'x', '--role', 'king'], /--role must be viewer, .* or orders/],
    [
      ['tokens', 'create', '--name', 'x', '--role', 'viewer', '--expires-in', 'soon'],
      /^--expires-in must be a time such as /,
    ],
    [['tokens', 'create', '--name', 'x'], /^"bellhop tokens create" needs --role <role>: /],
    [['tokens', 'revoke'], /^"bellhop tokens revoke" needs <id>: .*"bellhop tokens list"/],
    [['tokens', 'list', '--port', '1'], /^"bellhop tokens list" has no "--port"\. /],
  ] as const) {
    const { code, stdout, stderr } = await runCommand([...args]);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toMatch(words);
  }
});

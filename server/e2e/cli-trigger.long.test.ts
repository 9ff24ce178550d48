import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listening } from '../../test/support.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { jsonLines, pointingAt, runCommand, startCommand } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop(() => ({
  BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.1/32',
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.1/32',
}));

const trigger = (...args: string[]) =>
  runCommand(['trigger', ...args], pointingAt(bellhop.addresses));

async function newMidoffice(environment: 'sandbox' | 'production', url: string) {
  const { keyId, partnerId } = await bellhop.newKey(environment);
  const { body } = await bellhop.support('POST', `/support/v1/${environment}/midoffices`, {
    name: 'Test midoffice',
    url,
    signing_key_id: keyId,
  });
  return { partnerId, midofficeId: body.id as string };
}

test('sends events and follows them until they are delivered', async () => {
  const receiver = await startReceiver();
  const { partnerId, midofficeId } = await newMidoffice('sandbox', receiver.url);
  const to = ['--partner', partnerId, '--midoffice', midofficeId];
  const { code, stdout } = await trigger(...to, '--count', '3', '--order', 'one', '--watch');
  expect(code).toBe(0);
  expect(stdout.match(/created one: queued as del_\d+$/gm)).toHaveLength(3);
  expect(stdout.match(/^del_\d+ {2}attempt 1 .*answered 200 in \d+ ms$/gm)).toHaveLength(3);
  expect(stdout.match(/^del_\d+ {2}delivered after 1 attempt$/gm)).toHaveLength(3);

  const json = await trigger(...to, '--json', '--watch', '--type', 'updated', '--status', 'paid');
  expect(jsonLines(json.stdout)).toMatchObject([
    { kind: 'accepted', outcome: 'queued', type: 'updated' },
    { kind: 'attempt', number: 1, status_code: 200 },
    { kind: 'settled', state: 'delivered', attempts_made: 1 },
  ]);
  expect(json.stdout).not.toContain('signature');
  expect(receiver.received.at(-1)?.json.data).toMatchObject({ type: 'updated', status: 'paid' });
});

test('fast-forwards all 22 attempts in the sandbox, to the latest listener by default', async () => {
  const here = pointingAt(bellhop.addresses);
  const options = ['--sandbox', '--port', '0', '--reply', '500', '--json'];
  const listener = startCommand(['listen', ...options], here);
  await listener.printed(1);
  const { code, stdout } = await trigger('--fast-forward');
  expect(code).toBe(1);
  expect(stdout.match(/^attempt \d+ of 22 .*answered 500/gm)).toHaveLength(22);
  const columns = stdout.match(/^attempt .*?(?=answered)/gm)?.map(({ length }) => length);
  expect(new Set(columns).size).toBe(1);
  const times = stdout.match(/(?<=^attempt \d+ of 22 +)\+.*?(?= {2,})/gm);
  expect([times?.[0], times?.[1], times?.[6]]).toEqual(['+0 s', '+30 s', '+12 min 30 s']);
  // The schedule takes a week after its first hour and a quarter.
  expect(times?.at(-1)).toMatch(/^\+7 d 1 h 12 min 30 s$/);
  expect(stdout).toMatch(/^exhausted after 22 attempts\. /m);
  await listener.printed(23);
  const arrivals = jsonLines(listener.lines.slice(1).join('\n'));
  expect(arrivals.map(({ attempt }) => attempt)).toEqual(arrivals.map((_, n) => n + 1));
  expect(arrivals.every(({ verified }) => verified)).toBe(true);
});

test('suggests --watch to people who do not follow the delivery', async () => {
  const receiver = await startReceiver();
  const { partnerId, midofficeId } = await newMidoffice('sandbox', receiver.url);
  const to = ['--partner', partnerId, '--midoffice', midofficeId];
  const one = await trigger(...to);
  expect(one.stdout).toMatch(
    /queued as del_\d+\nAdd --watch to see whether the webhook is delivered\.\n$/,
  );
  const two = await trigger(...to, '--count', '2');
  expect(two.stdout).toMatch(/Add --watch to see whether the webhooks are delivered\.\n$/);
  const json = await trigger(...to, '--json');
  expect(jsonLines(json.stdout)).toMatchObject([{ kind: 'accepted', outcome: 'queued' }]);
});

test('refuses to fast-forward in production, and sends nothing', async () => {
  const receiver = await startReceiver(status(500));
  const { partnerId } = await newMidoffice('production', receiver.url);
  const production = ['--environment', 'production'];
  const refused = await trigger(...production, '--partner', partnerId, '--fast-forward');
  expect(refused).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--fast-forward is for the sandbox only/),
  });
  const { body } = await bellhop.support('GET', '/support/v1/production/deliveries');
  expect(body.items).toEqual([]);
  expect((await trigger(...production)).stderr).toMatch(
    /^In production, pass the partner whose order it is with --partner/,
  );
});

test('names the partner that it chose itself, if that one is gone', async () => {
  const server = createServer((request, response) => {
    const isList = request.method === 'GET';
    response.writeHead(isList ? 200 : 422, { 'content-type': 'application/json' });
    const listener = { id: 'par_gone', name: 'bellhop listen, port 4000', midoffice_id: 'mid_1' };
    const problem = {
      ...{ status: 422, code: 'validation_failed', title: 'Refused.', detail: 'Refused.' },
      errors: [{ field: '/events/0/partner_id', detail: 'must be a partner' }],
    };
    response.end(JSON.stringify(isList ? { items: [listener], next_cursor: null } : problem));
  });
  const { port } = await listening(server);
  const { code, stderr } = await trigger('--back-office', `http://127.0.0.1:${port}`);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^There is no partner "par_gone" in/)]);
});

test('explains what is wrong and what to do', async () => {
  const { partnerId } = await bellhop.newKey('sandbox');
  const lonely = await trigger('--partner', partnerId);
  expect(lonely).toMatchObject({ code: 1, stdout: expect.stringMatching(/has no midoffice/) });
  const many = await trigger('--partner', partnerId, '--count', '1000');
  expect(many).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^1000 events: .*has no midoffice.*\n$/),
  });
  for (const [args, words] of [
    [['--partner', 'nope'], /^There is no partner "nope" in the sandbox\. Pass .* --partner; /],
    [
      ['--partner', partnerId, '--midoffice', 'nope', '--count', '3'],
      /^There is no midoffice "nope" in the sandbox\. Pass .* --midoffice, /,
    ],
    [['--partner', partnerId, '--order', 'x'.repeat(257)], /^--order must .*256 characters\.\n$/],
  ] as const) {
    const { code, stderr } = await trigger(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toMatch(words);
  }
  for (const [args, words] of [
    [['--type', 'deleted'], /^--type must be created, updated or cancelled, not "deleted"/],
    [['--count', '0'], /^--count must be a whole number from 1 to 1000/],
    [['--environment', 'test'], /^--environment must be production or sandbox/],
    [['now'], /^"bellhop trigger" has no "now"\. /],
  ] as const) {
    const { code, stderr } = await trigger(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toMatch(words);
  }
  const nobody = await trigger('--back-office', 'http://127.0.0.1:1', '--partner', partnerId);
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/"npx bellhop"/) });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { pathFolders } from '../../kit/find.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { pointingAt, runCommand, runOnTerminal } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

// These tests start whole processes, which is slow on a busy machine.
const bellhop = sharedBellhop(() => ({ BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.1/32' }));

const run = (...args: string[]) => runCommand(args, pointingAt(bellhop.addresses));
const inSandbox = (...args: string[]) => run(...args, '--environment', 'sandbox');

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function newMidoffice(url: string) {
  const { keyId, partnerId } = await bellhop.newKey('sandbox');
  const { body } = await bellhop.support('POST', '/support/v1/sandbox/midoffices', {
    name: 'Meridian Journeys',
    url,
    signing_key_id: keyId,
  });
  return { partnerId, midofficeId: body.id as string };
}

test('shows a partner and its key, and rotates it', async () => {
  const { keyId, partnerId } = await bellhop.newKey('production');
  const rotated = await json('keys', 'rotate', keyId, '--overlap', '7d');
  const untilMs = Date.parse(rotated.overlap_ends[0]) - Date.now();
  expect(Math.abs(untilMs - 7 * 86_400_000)).toBeLessThan(60_000);
  const leaked = await json('keys', 'rotate', keyId, '--leaked');
  const working = leaked.overlap_ends.filter((at: string) => Date.parse(at) > Date.now());
  expect(working).toEqual([]);
  const again = await run('keys', 'rotate', keyId);
  expect(again.stdout).toMatch(/^Its API key, shown only this once:\n[0-9a-f-]{36}$/m);

  const listed = await run('keys', 'list', '--partner', partnerId);
  const named = await bellhop.support('GET', `/support/v1/production/partners/${partnerId}`);
  expect(listed.stdout).toMatch(
    new RegExp(`^${keyId} .* ${named.body.name} +${partnerId} +active +never +20`, 'm'),
  );
  expect(listed.stdout).not.toContain(leaked.api_key);
  const shown = await run('keys', 'show', keyId);
  expect(shown.stdout).toMatch(/^api\/b2b\/v3\/search\/hp\/ +10 requests a minute +0 +10/m);
  expect(shown.stdout).toMatch(/^status +active$/m);
  expect(shown.stdout).toMatch(new RegExp(`^partner name +${named.body.name}$`, 'm'));
  await bellhop.support('PATCH', `/support/v1/production/keys/${keyId}`, { disabled: true });
  expect((await run('keys', 'show', keyId)).stdout).toMatch(/^status +disabled$/m);

  const partner = `/support/v1/production/partners/${partnerId}`;
  await bellhop.support('PATCH', partner, { name: 'Nordlys', suspended: true });
  const found = await run('partners', 'list', '--name', 'nordl');
  expect(found.stdout).toMatch(new RegExp(`^${partnerId} +Nordlys +suspended +none +20`, 'm'));
  const onboarding = await run('partners', 'show', partnerId);
  expect(onboarding.stdout).toMatch(/^suspended +yes$/m);
  expect(onboarding.stdout).toMatch(/^open +certification /m);
});

test('finds why a webhook did not arrive, and sends it again', async () => {
  const broken = await startReceiver(status(500));
  const { partnerId, midofficeId } = await newMidoffice(broken.url);
  const event = ['--partner', partnerId, '--midoffice', midofficeId, '--order', 'order-1001'];
  await run('trigger', ...event, '--fast-forward');

  const listed = await inSandbox(
    'deliveries',
    'list',
    '--order',
    'order-1001',
    '--since',
    'yesterday',
  );
  const [, id = ''] = /^(del_\d+) .* order-1001 +exhausted +22 +500 /m.exec(listed.stdout) ?? [];
  const shown = await inSandbox('deliveries', 'show', id);
  expect(shown.stdout).toMatch(/^attempt 22 {2}20\S+ \S+Z {2}answered 500 in \d+ ms$/m);
  expect(shown.stdout.trimEnd()).toMatch(/\.$/);
  const failed = await inSandbox('midoffices', 'test', midofficeId);
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^test webhook .* 500/) });

  const working = await startReceiver();
  await bellhop.support('PATCH', `/support/v1/sandbox/midoffices/${midofficeId}`, {
    url: working.url,
  });
  expect((await inSandbox('midoffices', 'test', midofficeId)).code).toBe(0);
  const recover = ['midoffices', 'recover', midofficeId, '--since', '1h'];
  const counted = await inSandbox(...recover, '--dry-run');
  expect(counted.stdout).toBe('1 webhook would be sent again.\n');
  expect((await inSandbox(...recover)).stdout).toBe('1 webhook is sent again.\n');
  await vi.waitFor(async () => {
    const { stdout } = await inSandbox('deliveries', 'show', id);
    expect(stdout).toMatch(/^state +delivered$/m);
  }, 60_000);
  expect((await inSandbox('deliveries', 'retry', id)).code).toBe(0);
  const csv = await inSandbox('deliveries', 'list', '--partner', partnerId, '--csv');
  expect(csv.stdout).toMatch(/^[a-z_]+(?:,[a-z_]+)+\r?\n/);
  expect(csv.stdout).toContain(`${id},`);
});

test('shows what waits for a midoffice, page by page', async () => {
  const receiver = await startReceiver();
  const { partnerId, midofficeId } = await newMidoffice(receiver.url);
  await bellhop.support('PATCH', `/support/v1/sandbox/midoffices/${midofficeId}`, { paused: true });
  await run('trigger', '--partner', partnerId, '--midoffice', midofficeId, '--count', '3');
  const shown = await inSandbox('midoffices', 'show', midofficeId);
  expect(shown.stdout).toMatch(/^paused +yes$/m);
  expect(shown.stdout).toMatch(/^pending +3$/m);
  const filter = ['deliveries', 'list', '--midoffice', midofficeId, '--state', 'pending'];
  const two = await inSandbox(...filter, '--limit', '2');
  expect(two.stdout.match(/^del_/gm)).toHaveLength(2);
  expect(two.stderr).toMatch(/^There are more than 2\. --limit lists more of them\.\n$/);
  expect((await inSandbox('midoffices', 'list', '--name', 'merid')).stdout).toContain(midofficeId);
});

describe('refuses, with exit 2,', () => {
  test.each([
    [
      ['partners', 'show', 'nobody'],
      /^There is no such partner in production\. "bellhop partners list --environment production" /,
    ],
    [['deliveries', 'show', 'del_1'], /^There is no such delivery in production\. /],
    [['deliveries', 'list', '--since', 'soon'], /^--since must be a time such as 2026-01-31, /],
    [['deliveries', 'list', '--until', '24:61'], /^--until must be a time such as .* "24:61"\.\n$/],
    [
      ['deliveries', 'list', '--since', '2126-01-31'],
      /^--since must be in the past, but 2126-01-3/,
    ],
    [
      ['midoffices', 'recover', 'mid_1', '--since', 'today', '--until', 'yesterday'],
      /^--since must not be after --until\.\n$/,
    ],
    [['deliveries', 'list', '--state', 'lost'], /^--state must be pending, delivered, /],
    [['deliveries', 'list', '--json', '--csv'], /cannot be used together\.\n$/],
    [['keys', 'list', '--limit', '0'], /^--limit must be a whole number from 1 to 10000/],
    [['keys', 'rotate', '1', '--leaked', '--overlap', '1d'], /cannot be used together\.\n$/],
    [['midoffices', 'recover', 'mid_1'], /^"bellhop midoffices recover" needs --since <time>: /],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(sentence);
  });
});

const hasScript = pathFolders().some((folder) => existsSync(join(folder, 'script')));

test.skipIf(process.platform !== 'linux' || !hasScript)(
  'a terminal obeys nothing that a partner wrote; a file gets it as it is',
  async () => {
    const { partnerId } = await bellhop.newKey('sandbox');
    const order = 'a\u001b]0;owned\u0007\u009b31m\u202eb';
    await bellhop.support('POST', '/orders/v1/sandbox/events', {
      ...{ event_id: 'escapes', type: 'created', partner_id: partnerId },
      partner_order_id: order,
    });
    const list = ['deliveries', 'list', '--partner', partnerId, '--environment', 'sandbox'];
    for (const format of ['--json', '--csv']) {
      const shown = await runOnTerminal([...list, format], pointingAt(bellhop.addresses));
      expect(shown.replace(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (format === '--json') expect(JSON.parse(shown)[0].partner_order_id).toBe(order);
      else expect(shown).toContain('a\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}b');
      expect((await run(...list, format)).stdout).toContain('\u009b');
    }
  },
);

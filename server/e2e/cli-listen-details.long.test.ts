import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { pointingAt, runCommand, startCommand } from './cli-command.ts';
import { LISTEN, listen, listenersFolder } from './cli-listener.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();

test('keeps its registration and its key between starts, in a private file', async () => {
  const first = await listen(bellhop);
  const { port } = new URL(first.ready.url);
  await first.stop();
  const second = await listen(bellhop, '--port', port, '--path', '/other');
  const { partner_id, midoffice_id, key_id, api_key, key_file } = first.ready;
  expect(second.ready).toMatchObject({ partner_id, midoffice_id, key_id, api_key });
  await second.trigger();
  expect(await second.arrival(1)).toMatchObject({ verified: true, path: '/other' });
  await second.stop();
  expect(key_file).toBe(join(await listenersFolder, `listen-${port}.key`));
  expect(readFileSync(key_file, 'utf8')).toBe(`${key_id}:${api_key}\n`);
  expect(statSync(key_file).mode & 0o777).toBe(0o600);

  const rotation = `/support/v1/sandbox/keys/${key_id}/rotation`;
  expect((await bellhop.support('POST', rotation, { overlap_seconds: 0 })).status).toBe(200);
  const third = await listen(bellhop, '--port', port);
  expect(third.ready).toMatchObject({ partner_id, key_id });
  expect(third.ready.api_key).not.toBe(api_key);
  await third.trigger();
  expect(await third.arrival(1)).toMatchObject({ verified: true });
  await third.stop();

  const fourth = await listen(bellhop, '--port', port, '--new-key');
  expect(fourth.ready.api_key).not.toBe(third.ready.api_key);
  expect(readFileSync(key_file, 'utf8')).toBe(`${key_id}:${fourth.ready.api_key}\n`);
});

test('says why it refuses a webhook, and prints no control characters', async () => {
  const command = startCommand(['listen', '--api-key', 'some key', '--port', '0']);
  await command.printed(1);
  const url = /http:\S+\/hook/.exec(command.lines[0] as string)?.[0] as string;
  const signature = { signature: '0'.repeat(64), timestamp: 1, token: 'x'.repeat(50) };
  const data = { type: 'created', partner_order_id: 'evil\u001b[2J\u202e' };
  const post = async (body: string, to = url) => (await fetch(to, { method: 'POST', body })).status;
  expect(await post(JSON.stringify({ data, signature }))).toBe(401);
  expect(await post('{')).toBe(400);
  expect(await post('x'.repeat(65_537))).toBe(413);
  expect(await post('{}', `${url}/deeper`)).toBe(404);
  expect((await fetch(url)).status).toBe(405);
  await command.printed(6);
  const [forged, malformed, large, deeper, get] = command.lines.slice(1) as string[];
  expect(forged).toMatch(/ created +evil\\u\{1b\}\[2J\\u\{202e\} +refused: bad_signature \(.*401$/);
  expect(malformed).toMatch(/refused: malformed \(.*answered 400$/);
  expect(large).toMatch(/refused: too_large \(.*answered 413$/);
  expect(deeper).toMatch(/POST \/hook\/deeper +not the hook +answered 404$/);
  expect(get).toMatch(/GET \/hook +not the hook +answered 405$/);
});

test('forwards a webhook unchanged, passes the answer back, and recognises a retry', async () => {
  const receiver = await startReceiver(status(202, 'thanks'));
  const { ready, arrival, trigger } = await listen(bellhop, '--forward', receiver.url);
  expect(await trigger()).toMatchObject({ code: 0 });
  expect(await arrival(1)).toMatchObject({ verified: true, answered: 202, forward_error: null });
  const [webhook] = receiver.received;
  expect(webhook?.headers['webhook-signature']).toMatch(/^v1,/);

  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = webhook?.headers ?? {};
  const again = await fetch(ready.url, {
    method: 'POST',
    body: webhook?.body ?? '',
    headers: {
      'webhook-id': id as string,
      'webhook-timestamp': timestamp as string,
      'webhook-signature': webhook?.headers['webhook-signature'] as string,
    },
  });
  expect([again.status, await again.text()]).toEqual([202, 'thanks']);
  const repeated = await arrival(2);
  expect(repeated.verified).toBe(false);
  expect(['replayed', 'stale']).toContain(repeated.refusal);
  expect(repeated.attempt).toBe(2);

  await receiver.close();
  expect((await fetch(ready.url, { method: 'POST', body: '{}' })).status).toBe(502);
  expect(await arrival(3)).toMatchObject({ answered: 502, forward_error: expect.any(String) });
});

test('names the setting that the server needs, and leaves nothing behind', async () => {
  const strict = await startBellhop({ BELLHOP_SANDBOX_RECEIVER_ALLOW: 'none' });
  const { code, stderr } = await runCommand(LISTEN, pointingAt(strict.addresses));
  expect(code).toBe(1);
  expect(stderr).toMatch(/\n {2}BELLHOP_SANDBOX_RECEIVER_ALLOW=127\.0\.0\.1\/32 npx bellhop\n$/);
  const { body } = await strict.support('GET', '/support/v1/sandbox/partners');
  expect(body.items).toEqual([]);
});

test('says what to do about a port in use, a missing key and conflicting options', async () => {
  const { ready } = await listen(bellhop);
  const { port } = new URL(ready.url);
  const taken = await runCommand(['listen', '--api-key', 'x', '--port', port]);
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/another with --port/) });
  for (const [args, words] of [
    [['listen'], /--api-key .* --sandbox/],
    [['listen', '--api-key', 'x', '--new-key'], /^--new-key needs --sandbox/],
    [['listen', '--sandbox', '--api-key', 'x'], /^Use either --sandbox or --api-key/],
    [
      ['listen', '--api-key', 'x', '--reply', '500', '--forward', 'http://x'],
      /^Use either --reply or --forward/,
    ],
    [['listen', '--api-key', 'x', '--reply', '99'], /^--reply must be a whole number from 200/],
    [
      ['listen', '--api-key', 'x', '--tolerance', 'ever'],
      /^--tolerance must be a whole number from 0 to 2678400 or "off", not "ever"/,
    ],
    [['listen', '--api-key', 'x', '--path', 'hook'], /^--path must begin with/],
  ] as const) {
    const { code, stderr } = await runCommand([...args]);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).toMatch(words);
  }
});

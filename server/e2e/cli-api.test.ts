import { expect, test } from 'vitest';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { pointingAt, runCommand } from './cli-command.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

// These tests start whole processes, which is slow on a busy machine.
const bellhop = sharedBellhop(() => ({
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.1/32',
  BELLHOP_DEMO: 'off',
}));

const api = (...args: string[]) => runCommand(['api', ...args], pointingAt(bellhop.addresses));
const withInput = (input: string, ...args: string[]) =>
  runCommand(['api', ...args], pointingAt(bellhop.addresses), input);

/** What it printed, of a call that succeeded. */
async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await api(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const json = async (...args: string[]) => JSON.parse(await printed(...args, '--json'));

test('onboards a partner: partner, key, midoffice, certification, a higher limit', async () => {
  const partner = await json(
    ...['POST', 'partners', 'name=Nordlys', 'integration_started_on=2026-01-31', 'is_new=true'],
  );
  expect(partner).toMatchObject({ name: 'Nordlys', is_new: true });
  const key = await json(
    ...['POST', `partners/${partner.id}/keys`, 'label=web shop', 'expires_at=+90d'],
  );
  expect(key).toMatchObject({ label: 'web shop', api_key: expect.any(String) });
  const untilMs = Date.parse(key.expires_at) - Date.now();
  expect(Math.abs(untilMs - 90 * 86_400_000)).toBeLessThan(60_000);

  const receiver = await startReceiver();
  const midoffice = await json(
    ...[
      'post',
      'midoffices',
      'name=Nordlys',
      `url=${receiver.url}`,
      `signing_key_id=${key.key_id}`,
    ],
    ...['max_in_flight=4', 'headers.X-Site=7', 'headers.__proto__=8'],
  );
  expect(midoffice).toMatchObject({ name: 'Nordlys', max_in_flight: 4 });
  expect(Object.keys(midoffice.headers)).toEqual(['X-Site', '__proto__']);
  const routed = await printed('PATCH', `partners/${partner.id}`, `midoffice_id=${midoffice.id}`);
  expect(routed).toMatch(new RegExp(`^midoffice_id +${midoffice.id}$`, 'm'));
  const event = [
    'event_id=api-1',
    'type=created',
    `partner_id=${partner.id}`,
    'partner_order_id=1',
  ];
  expect(await json('POST', 'orders/events', ...event)).toMatchObject({
    results: [{ outcome: 'queued' }],
  });
  await receiver.came(1);

  const grant = ['endpoint=api/b2b/v3/search/hp/', 'requests_number=90', 'seconds_number=60'];
  const raise = ['PUT', `keys/${key.key_id}/endpoints`, ...grant];
  expect(await api(...raise)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Limits can be raised only after the partner has completed certification.\n',
  });
  const certified = await printed('POST', `partners/${partner.id}/certification`, 'reference=C-1');
  expect(certified).toMatch(/^certification_reference +C-1$/m);
  expect(await api(...raise)).toMatchObject({ code: 2, stderr: expect.stringMatching(/approval/) });
  const raised = await printed(...raise, 'approval_reference=SALES-7');
  expect(raised).toMatch(/^requests_number +90$/m);
  expect(await printed('GET', `keys/${key.key_id}/endpoints`)).toMatch(
    /^api\/b2b\/v3\/search\/hp\/ +yes +no +yes +90 +60$/m,
  );
  const audit = await json('GET', `audit?subject=${key.key_id}`, 'limit=1');
  expect(audit.items[0]).toMatchObject({ action: 'key.grant' });

  expect(await printed('DELETE', `keys/${key.key_id}`, 'reason=ended')).toBe('Done.\n');
  expect(await json('GET', `/support/v1/production/keys/${key.key_id}`)).toMatchObject({
    revoked_at: expect.any(String),
  });
});

test('reads lists as tables, page by page, and whole as CSV', async () => {
  const { keyId, partnerId } = await bellhop.newKey('sandbox');
  await bellhop.newKey('sandbox');
  const inSandbox = ['--environment', 'sandbox'];
  const first = await api('GET', 'keys', 'limit=1', ...inSandbox);
  expect(first.stdout).toMatch(/^key_id +partner_id .*\n\d+ +par_\w+ .*\n$/);
  const [, cursor = ''] = /^There are more: add (cursor=\S+) for/.exec(first.stderr) ?? [];
  expect(await json('GET', 'keys', 'limit=1', cursor, ...inSandbox)).toMatchObject({
    items: [{ key_id: keyId }],
  });
  const csv = await printed('GET', 'keys', `partner_id=${partnerId}`, '--csv', ...inSandbox);
  expect(csv).toMatch(new RegExp(`^key_id,partner_id,[^\\n]+\\n${keyId},${partnerId},[^\\n]+\\n$`));
  expect(await printed('GET', '/support/v1/sandbox/keys?format=csv')).toContain(csv.split('\n')[1]);
  expect(await printed('GET', 'notices')).toBe('There are none.\n');
});

test('sends what comes from the standard input, and writes what is not JSON as it is', async () => {
  const { keyId } = await bellhop.newKey('production');
  const label = 'Ænglisc "quoted"';
  const changed = await withInput(
    JSON.stringify({ label }),
    'PATCH',
    `keys/${keyId}`,
    '-',
    '--json',
  );
  expect(JSON.parse(changed.stdout)).toMatchObject({ label });
  const exported = await printed('GET', 'export');
  expect(exported).toContain(`"key_id":"${keyId}"`);
  const imported = await withInput(
    '{"kind":"partner","ref":"p1","name":"From a file","integration_started_on":"2026-01-31","is_new":true}\n',
    ...['POST', 'import', 'dry_run=true', '-', '--json'],
  );
  expect(JSON.parse(imported.stdout)).toMatchObject({ dry_run: true });
  expect(await withInput('{"label":', 'PATCH', `keys/${keyId}`, '-')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^The standard input is not JSON: .*\.\n$/),
  });
});

test('exits with 1 if the token may not do it, or nobody answers', async () => {
  const { token } = await json('POST', 'tokens', 'name=auditor', 'role=viewer');
  expect(await api('PATCH', 'keys/1', 'disabled=true', '--token', token)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Use a token of another role/),
  });
  expect(await api('GET', 'keys', '--back-office', 'http://127.0.0.1:1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No back office answers at /),
  });
});

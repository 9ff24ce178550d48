import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import {
  ADMIN_TOKEN,
  basic,
  type SupportReply,
  spawnBellhop,
  startBellhop,
  type TestBellhop,
} from '../testing/bellhop.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { newMasterKey } from '../testing/settings.ts';

// These tests start whole processes, which is slow on a busy machine.
/** Makes every call that creates, uses, changes or shows a secret, and collects the replies. */
async function liveThrough({ addresses, support }: TestBellhop) {
  const secrets = [ADMIN_TOKEN];
  const replies: string[] = [];

  /** A call whose reply may show one secret, in the named field, and no other. */
  async function call(method: string, path: string, body?: unknown, shows?: string) {
    const reply: SupportReply = await support(method, path, body);
    const { [shows ?? '']: shown, ...rest } = reply.body || {};
    if (shows !== undefined) secrets.push(shown);
    replies.push(JSON.stringify([rest, ...reply.headers]));
    return reply.body;
  }
  async function overview(keyId: string, apiKey: string) {
    const authorization = basic(keyId, apiKey);
    secrets.push(authorization.slice('Basic '.length));
    const reply = await fetch(`${addresses.sandbox}/api/b2b/v3/overview/?key=${keyId}`, {
      headers: { authorization },
    });
    replies.push(JSON.stringify([await reply.text(), ...reply.headers]));
    return reply.status;
  }

  const base = '/support/v1/sandbox';
  const partner = await call('POST', `${base}/partners`, {
    name: 'Test partner',
    integration_started_on: '2025-11-01',
    is_new: true,
  });
  const key = await call('POST', `${base}/partners/${partner.id}/keys`, {}, 'api_key');
  const first = secrets[secrets.length - 1] as string;
  expect(await overview(key.key_id, first)).toBe(200);
  await call('POST', `${base}/keys/${key.key_id}/rotation`, { overlap_seconds: 60 }, 'api_key');
  const second = secrets[secrets.length - 1] as string;
  expect(await overview(key.key_id, first)).toBe(200);
  expect(await overview(key.key_id, second)).toBe(200);
  const guess = 'a-wrong-guess-that-may-be-near';
  expect(await overview(key.key_id, guess)).toBe(401);
  secrets.push(guess);
  const headerValue = 'Bearer a-gateway-credential';
  secrets.push(headerValue);
  const client = issueCertificate({ name: 'client' });
  // Any line of it would do.
  secrets.push(client.key.split('\n')[1] as string);
  const midoffice = await call('POST', `${base}/midoffices`, {
    name: 'x',
    url: 'https://8.8.8.8/hook',
    signing_key_id: key.key_id,
    headers: { Authorization: headerValue },
    client_certificate: { certificate: client.cert, private_key: client.key },
  });
  expect(midoffice.client_certificate.subject).toBe('CN=client');
  await call('PATCH', `${base}/midoffices/${midoffice.id}`, {
    headers: { Authorization: headerValue, Host: 'refused' },
  });
  await call('PATCH', `${base}/midoffices/${midoffice.id}`, {
    client_certificate: { certificate: client.key, private_key: client.key },
  });
  const token = await call('POST', '/support/v1/tokens', { name: 'x', role: 'admin' }, 'token');
  const tokenSecret = secrets[secrets.length - 1] as string;
  await support('GET', '/support/v1/tokens', undefined, tokenSecret);
  await call('PATCH', `${base}/keys/${key.key_id}`, { label: 'x' });
  await call('PUT', `${base}/keys/${key.key_id}/endpoints`, { endpoint: 'api/b2b/v3/search/hp/' });
  await call('PATCH', `${base}/keys/${key.key_id}`, { api_key: second });
  await call('POST', '/support/v1/tokens', { name: 'x', role: 'admin', token: tokenSecret });
  for (const path of [
    `${base}/partners`,
    `${base}/partners/${partner.id}`,
    `${base}/keys`,
    `${base}/keys/${key.key_id}`,
    `${base}/keys/${key.key_id}/endpoints`,
    `${base}/keys/${key.key_id}/usage`,
    `${base}/midoffices`,
    `${base}/midoffices/${midoffice.id}`,
    `${base}/audit?limit=200`,
    '/support/v1/production/audit?limit=200',
    '/support/v1/tokens',
    '/health/ready',
    '/openapi.json',
  ]) {
    await call('GET', path);
  }
  replies.push(await (await fetch(`${addresses.backOffice}/metrics`)).text());
  await call('DELETE', `/support/v1/tokens/${token.id}`);
  await call('DELETE', `${base}/keys/${key.key_id}`);
  await call('GET', `${base}/audit?limit=200`);
  return { secrets: [...new Set(secrets)], replies };
}

function expectNone(secrets: string[], where: string, text: string | Buffer): void {
  for (const secret of secrets) {
    expect(`${where} holds ${secret}: ${text.includes(secret)}`).toBe(
      `${where} holds ${secret}: false`,
    );
  }
}

test('secrets are shown once, and appear in no other reply, log line or file', async () => {
  const folder = await temporaryFolder();
  const bellhop = await spawnBellhop({ BELLHOP_DATA_DIR: folder, BELLHOP_LOG_LEVEL: 'debug' });
  let log = '';
  for (const stream of [bellhop.child.stdout, bellhop.child.stderr]) {
    stream?.on('data', (chunk) => {
      log += chunk;
    });
  }
  const { secrets, replies } = await liveThrough(bellhop);
  expect(secrets.length).toBeGreaterThanOrEqual(8);
  for (const reply of replies) expectNone(secrets, 'a reply', reply);
  await bellhop.stop();

  expect(log).toContain('"path":"api/b2b/v3/overview/"');
  expectNone(secrets, 'the log', `${bellhop.startText.join('\n')}${log}`);

  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  expect(files).toContain('sandbox/bellhop.db');
  for (const file of files) expectNone(secrets, file, readFileSync(join(folder, file)));
});

describeWithPostgres('secrets on PostgreSQL', (_empty, databaseWithTables) => {
  test('appear in no column of any table', async () => {
    const url = await databaseWithTables();
    const bellhop = await startBellhop({
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_SANDBOX_DATABASE_URL: url,
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const { secrets, replies } = await liveThrough(bellhop);
    for (const reply of replies) expectNone(secrets, 'a reply', reply);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const tables = await client.query(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'bellhop'",
    );
    const rows: string[] = [];
    for (const { name } of tables.rows) {
      const content = await client.query(`select t::text as row from ${name} t`);
      rows.push(...content.rows.map(({ row }) => row));
    }
    await client.end();
    expect(rows.join('\n')).toContain('key.rotate');
    expectNone(secrets, 'the database', rows.join('\n'));
  });
});

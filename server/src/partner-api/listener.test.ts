/** Time-outs, shortened; everything else about the listener is in `server/e2e/`. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { expectRefusal } from '../../e2e/expect-refusal.ts';
import { head, OVERVIEW_PATH, openWire } from '../../e2e/wire.ts';
import { basic } from '../../testing/bellhop.ts';
import { systemClock as clock } from '../clock.ts';
import { defaultGrants } from '../grants.ts';
import { createMemoryLimiter } from '../limits/memory-limiter.ts';
import { createLog } from '../log.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { Vault } from '../vault.ts';
import { FailedLogins } from './failed-logins.ts';
import { noUpstream } from './forward.ts';
import { Keyring } from './keyring.ts';
import { createPartnerApi } from './listener.ts';

const KEY_ID = '1234567890';
const API_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

async function startImpatient(): Promise<string> {
  const vault = new Vault(randomBytes(32), 'sandbox');
  const folder = await temporaryFolder();
  const store = await openSqliteStore({ folder, environment: 'sandbox', vault, clock });
  const grants = defaultGrants();
  const key = {
    keyId: KEY_ID,
    partnerId: 'par_1',
    digest: vault.digest(KEY_ID, API_KEY),
    previousDigest: null,
    previousUntil: null,
    allowedIps: null,
    disabled: 0,
    suspended: 0,
    expiresAt: null,
    revokedAt: null,
    grantSet: grants.id,
  };
  const server = createPartnerApi({
    keyring: new Keyring({
      lookup: { find: () => key, grants: () => grants.json },
      changes: store.keyChanges,
      vault,
      clock,
    }),
    failedLogins: new FailedLogins(clock),
    limiter: await createMemoryLimiter({ clock }),
    forward: noUpstream.forward,
    clock,
    trustedProxies: [],
    record: () => {},
    log: createLog('silent'),
    timeouts: { headersMs: 100, requestMs: 200, checkMs: 20 },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['says nothing but the first line', `GET ${OVERVIEW_PATH} HTTP/1.1\r\n`],
  ['does not finish its headers', head(`GET ${OVERVIEW_PATH}`).slice(0, -2)],
  [
    'does not finish its body',
    `${head(`POST ${OVERVIEW_PATH}`, { Authorization: basic(KEY_ID, API_KEY), 'Content-Length': '9' })}half`,
  ],
])('408 request_timeout for a caller that %s', async (_what, bytes) => {
  const wire = await openWire(await startImpatient());
  wire.write(bytes);
  const reply = await wire.next();
  expectRefusal(reply, 408, 'request_timeout', { real_ip: '127.0.0.1' });
  expect(reply.headers.connection).toBe('close');
  expect(String(await wire.ended())).toBe('');
});

test('a caller that was refused and goes on sending is not answered twice', async () => {
  const wire = await openWire(await startImpatient());
  wire.write(`${head(`POST ${OVERVIEW_PATH}`, { 'Content-Length': '9' })}half`);
  expectRefusal(await wire.next(), 401, 'no_auth_header');
  expect(String(await wire.ended())).toBe('');
});

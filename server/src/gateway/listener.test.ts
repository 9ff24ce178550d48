/** Time-outs, shortened or on a manual clock. The other tests of the listener are in `server/e2e/`. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { databaseFolder } from '../../../test/support.ts';
import { expectRefusal } from '../../e2e/expect-refusal.ts';
import { head, OVERVIEW_PATH, openWire } from '../../e2e/wire.ts';
import { basic } from '../../testing/bellhop.ts';
import { aWhile } from '../../testing/forward-rig.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { silentLog } from '../../testing/silent-log.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { Vault } from '../base/sealing/vault.ts';
import { createMemoryLimiter } from '../limiter/memory-limiter.ts';
import { boundConnections } from '../listener/connections.ts';
import { SENDER_PACE } from '../listener/pace.ts';
import { createKey } from '../resources/keys/create-key.ts';
import { createPartner } from '../resources/partners/change-partner.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { noUpstream } from './answer.ts';
import { Keyring } from './keyring.ts';
import { createPartnerApi } from './listener.ts';
import type { RequestRecorder } from './record.ts';
import { FailedLogins } from './sign-in/failed-logins.ts';

const OFFER = { from: '2025-10-01', until: '2025-12-31' };

const SHORT = { headersMs: 100, requestMs: 200, checkMs: 20 };
const LONG = { headersMs: 60_000, requestMs: 60_000, checkMs: 60_000 };

async function start({
  clock = systemClock,
  timeouts = SHORT,
  record = () => {},
}: {
  clock?: Clock;
  timeouts?: typeof SHORT;
  record?: RequestRecorder;
} = {}): Promise<{ address: string; authorization: string }> {
  const vault = new Vault(randomBytes(32), 'sandbox');
  const folder = await databaseFolder();
  const store = await openSqliteStore({ folder, environment: 'sandbox', vault, clock });
  const limiter = await createMemoryLimiter({ clock });
  const data = { name: 'sandbox', store, vault, clock, sandboxOffer: OFFER } as const;
  const partner = await createPartner(data, 'test', {
    name: 'Slow',
    integration_started_on: OFFER.from,
    is_new: true,
  });
  const key = await createKey(data, 'test', partner.id, {});
  const server = createPartnerApi({
    keyring: new Keyring({
      lookup: store.keys,
      invalidations: store.invalidations,
      outage: store.outage,
      vault,
      clock,
    }),
    failedLogins: new FailedLogins(clock),
    limiter,
    forwarder: noUpstream,
    clock,
    trustedProxies: [],
    errorForm: 'object',
    connections: boundConnections({
      listener: 'sandbox',
      trustedProxies: [],
      clock,
      metrics: new Metrics(),
    }),
    record,
    isStorageTrouble: () => false,
    log: silentLog(),
    timeouts,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await store.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorization: basic(key.key_id, key.api_key),
  };
}

test.each([
  ['sends only the first line', null, () => `GET ${OVERVIEW_PATH} HTTP/1.1\r\n`],
  ['does not finish its headers', null, () => head(`GET ${OVERVIEW_PATH}`).slice(0, -2)],
  ['does not finish its body', [], (authorization: string) => halfOf(authorization)],
])('408 request_timeout for a caller that %s', async (_what, data, bytes) => {
  const { address, authorization } = await start();
  const wire = await openWire(address);
  wire.write(bytes(authorization));
  const reply = await wire.next();
  expectRefusal(reply, 408, 'request_timeout', { real_ip: '127.0.0.1' });
  // An array only if it is known that the overview was called.
  expect(reply.json.data).toEqual(data);
  expect(reply.headers.connection).toBe('close');
  expect(String(await wire.ended())).toBe('');
});

test('a refused caller that does not finish its body is not answered twice', async () => {
  const { address } = await start();
  const wire = await openWire(address);
  wire.write(halfOf('Bearer x'));
  expectRefusal(await wire.next(), 401, 'invalid_auth_header');
  expect(String(await wire.ended())).toBe('');
});

test('a body that the overview does not need must arrive, too, and its call is refused once', async () => {
  const clock = new ManualClock(Date.now());
  const recorded: (string | undefined)[] = [];
  const { address, authorization } = await start({
    clock,
    timeouts: LONG,
    record: (_call, refusal) => recorded.push(refusal?.kind.code),
  });
  const wire = await openWire(address);
  wire.write(halfOf(authorization));
  await aWhile();
  clock.advance(SENDER_PACE.paceMs - 1);
  await aWhile();
  expect(recorded).toEqual([]);
  clock.advance(1);
  const reply = await wire.next();
  expectRefusal(reply, 408, 'request_timeout', {
    key_id: expect.any(String),
    api_endpoint: OVERVIEW_PATH.slice(1),
  });
  expect(reply.headers['x-ratelimit-remaining']).toBeDefined();
  // What is left of the body is read past for a while.
  clock.advance(LONG.requestMs);
  await wire.ended();
  expect(recorded).toEqual(['request_timeout']);
});

function halfOf(authorization: string): string {
  return `${head(`POST ${OVERVIEW_PATH}`, { Authorization: authorization, 'Content-Length': '9' })}half`;
}

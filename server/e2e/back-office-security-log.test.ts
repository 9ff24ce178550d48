/** What the log of the back office tells people after an attack. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ADMIN_TOKEN, spawnBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { openBrowser } from '../testing/console-browser.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { head, openWire } from './wire.ts';

// A whole process is started, which takes its time on a busy machine.
const PARTNERS = '/support/v1/production/partners';
const STRANGER = { 'x-forwarded-for': '198.51.100.7' };

interface Line {
  msg: string;
  [field: string]: unknown;
}

/** Disconnects while the server reads the body. */
async function hangUpInBody({ addresses, support }: TestBellhop, path: string, type: string) {
  const wire = await openWire(addresses.backOffice);
  wire.write(
    head(`POST ${path}`, {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': type,
      'content-length': '1000',
      expect: '100-continue',
    }),
  );
  expect((await wire.next()).status).toBe(100);
  wire.write('{');
  // By the time that this is answered, the body is being read.
  await support('GET', PARTNERS);
  wire.socket.destroy();
}

test('sign-ins, refused credentials and refused rights are logged, without any secret', async () => {
  const bellhop = await spawnBellhop({
    ...BACK_OFFICE_ONLY,
    BELLHOP_LOG_LEVEL: 'info',
    BELLHOP_TRUSTED_PROXIES: '127.0.0.1',
  });
  const texts: string[] = [];
  createInterface({ input: bellhop.child.stderr as Readable }).on('line', (line) =>
    texts.push(line),
  );
  const lines = () => texts.map((text) => JSON.parse(text) as Line);
  const logged = (msg: string) =>
    eventually(
      async () => lines().filter((line) => line.msg === msg),
      (found) => found.length > 0,
    );
  const { support } = bellhop;
  const viewer = (await support('POST', '/support/v1/tokens', { name: 'Vera', role: 'viewer' }))
    .body;

  await hangUpInBody(bellhop, '/orders/v1/production/events', 'application/json');
  await hangUpInBody(bellhop, '/support/v1/production/import', 'application/x-ndjson');
  const browser = openBrowser(() => bellhop.addresses.backOffice);
  await browser.call('GET', '/console/session');
  await browser.signIn('wrong-console-token', STRANGER);
  await browser.signIn(viewer.token, STRANGER);
  await browser.call('DELETE', '/console/session', undefined, STRANGER);
  await support('GET', `${PARTNERS}?limit=1`, undefined, 'wrong-bearer-token');
  await support('POST', PARTNERS, {}, viewer.token);

  const actor = `Vera (${viewer.id})`;
  expect(await logged('signed in to the console')).toMatchObject([
    { level: 'info', actor, real_ip: '198.51.100.7' },
  ]);
  expect(await logged('signed out of the console')).toMatchObject([{ level: 'info', actor }]);
  const refused = await eventually(
    async () => lines().filter(({ msg }) => msg === 'refused'),
    (found) => found.length === 3,
  );
  expect(refused).toMatchObject([
    {
      ...{ level: 'warn', status: 401, error: 'unauthenticated', method: 'POST' },
      ...{ path: '/console/session', real_ip: '198.51.100.7' },
    },
    { status: 401, error: 'unauthenticated', method: 'GET', path: PARTNERS, real_ip: '127.0.0.1' },
    { status: 403, error: 'forbidden', method: 'POST', path: PARTNERS, actor },
  ]);
  // The senders that hung up are no fault of Bellhop.
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
  const all = texts.join('\n');
  for (const secret of [ADMIN_TOKEN, viewer.token, 'wrong-console-token', 'wrong-bearer-token']) {
    expect(all).not.toContain(secret);
  }
});

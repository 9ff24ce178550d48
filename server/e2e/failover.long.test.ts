/** A failover of PostgreSQL to a replica that lags: nothing is lost that a live node has confirmed. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TcpLink } from '../../kit/tcp-link.ts';
import { describeWithOwnPostgres } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { openBrowser } from '../testing/console-browser.ts';
import { eventually } from '../testing/eventually.ts';
import { type FailingPostgres, startFailingPostgres } from '../testing/failing-postgres.ts';
import {
  browserWith,
  cookieOf,
  newLink,
  press,
  signedInBrowser,
} from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import { DELIVERIES, newEvent, newSender, postText } from './webhook-bellhop.ts';
import { call } from './wire.ts';

const MANY_TRANSACTIONS =
  'do $$ begin for i in 1..1000 loop perform pg_current_xact_id(); commit; end loop; end $$';
const TOKENS = '/support/v1/tokens';
const KEYS = '/support/v1/production/keys';

interface Cluster {
  postgres: FailingPostgres;
  nodes: [TestBellhop, TestBellhop];
  links: [TcpLink, TcpLink];
  settings: Record<string, string>;
}

async function startCluster(): Promise<Cluster> {
  const postgres = await startFailingPostgres();
  const settings = {
    BELLHOP_ENVIRONMENTS: 'production',
    BELLHOP_MASTER_KEY: newMasterKey(),
    ...LOOPBACK_RECEIVERS,
  };
  const start = async () => {
    const { url, link } = await postgres.link();
    const node = await startBellhop({ ...settings, BELLHOP_PRODUCTION_DATABASE_URL: url });
    return { node, link };
  };
  const [one, two] = [await start(), await start()];
  return { postgres, settings, nodes: [one.node, two.node], links: [one.link, two.link] };
}

/** Keeps its cookie when it signs out, as a thief of it would. */
async function signInToConsole({ addresses }: TestBellhop, token: string) {
  const browser = openBrowser(() => addresses.backOffice);
  expect((await browser.signIn(token)).status).toBe(200);
  const cookie = String(browser.setCookie?.split(';')[0]);
  const call = async (method: string) =>
    (await browser.call(method, '/console/session', undefined, { cookie })).status;
  return { status: () => call('GET'), signOut: () => call('DELETE') };
}

type Event = ReturnType<typeof newEvent>;

function newEvents(sender: { partnerId: string }, count: number): Event[] {
  return Array.from({ length: count }, () => newEvent(sender));
}

/** Resolves to the ids of the deliveries. */
async function post(node: TestBellhop, events: readonly Event[]): Promise<string[]> {
  const { status, body } = await eventually(
    () => postText(node, JSON.stringify({ events })),
    (reply) => reply.status !== 503,
  );
  expect(status).toBe(202);
  return body.results.map((result: { delivery_id: string }) => result.delivery_id);
}

async function settled(node: TestBellhop, id: string) {
  const { body } = await eventually(
    () => node.support('GET', `${DELIVERIES}/${id}`),
    (reply) => reply.status === 200 && reply.body.state !== 'pending',
  );
  return body;
}

describeWithOwnPostgres('a failover to a replica that lags', () => {
  test('attempts from before settle nothing that the new primary has accepted', async () => {
    const { postgres, nodes } = await startCluster();
    const [node] = nodes;
    const receiver = await startReceiver(hang);
    const sender = await newSender(node, receiver.url, { max_in_flight: 96 });
    await postgres.lag();
    // More than PostgreSQL logs of a sequence ahead: the last of them would be given out again.
    const before = await post(node, newEvents(sender, 96));
    await receiver.came(96);
    await postgres.promote();
    const after = newEvents(sender, 60);
    const ids = await post(node, after);
    expect(ids.filter((id) => before.includes(id))).toEqual([]);
    receiver.answerAll(status(200));
    for (const id of ids) expect((await settled(nodes[1], id)).state).toBe('delivered');
    const received = new Set(receiver.received.map(({ orderId }) => orderId));
    expect(after.filter((event) => !received.has(event.partner_order_id))).toEqual([]);
  });

  test('what a node has confirmed is stored again: events, attempts and changes', async () => {
    const { postgres, nodes } = await startCluster();
    const [here, there] = nodes;
    const slow = await startReceiver(hang);
    const quick = await startReceiver(status(200));
    const sender = await newSender(here, slow.url);
    const delivered = await newSender(here, quick.url);
    const unrouted = await here.newKey('production');
    const revoked = await here.newKey('production');
    await postgres.lag();
    const waiting = newEvents(sender, 20);
    const done = newEvent(delivered);
    const waitingIds = [
      ...(await post(here, waiting.slice(0, 10))),
      ...(await post(there, waiting.slice(10))),
    ];
    const [doneId = ''] = await post(here, [done]);
    const [unroutedId = ''] = await post(there, [newEvent(unrouted)]);
    const attempts = (await settled(here, doneId)).attempts;
    const created = await there.newKey('production');
    expect((await here.support('DELETE', `${KEYS}/${revoked.keyId}`)).status).toBe(204);
    await postgres.promote();

    const stored = await eventually(
      () => postgres.query('select count(*)::int as n from bellhop.delivery'),
      ([row]) => row?.n === 22,
    );
    expect(stored).toEqual([{ n: 22 }]);
    slow.answerAll(status(200));
    for (const id of waitingIds) expect((await settled(there, id)).state).toBe('delivered');
    expect(await settled(there, unroutedId)).toMatchObject({ state: 'unrouted' });
    // Neither sent again nor forgotten.
    expect(await settled(there, doneId)).toMatchObject({ state: 'delivered', attempts });
    expect(quick.received).toHaveLength(1);
    for (const node of nodes) {
      expect((await call(node.addresses.production, created)).status).toBe(200);
      expect((await call(node.addresses.production, revoked)).status).toBe(401);
    }
  });

  test('nobody is let in again: links, sessions, tokens, sign-outs and limits', async () => {
    const { postgres, nodes, settings } = await startCluster();
    const [here, there] = nodes;
    const key = await here.newKey('production');
    const link = await newLink(here, 'production', key.partnerId);
    const leaving = await signedInBrowser(here, 'production', key.partnerId);
    const token = await here.support('POST', TOKENS, { name: 'leaves', role: 'viewer' });
    const console = await signInToConsole(here, token.body.token);
    const other = await here.support('POST', TOKENS, { name: 'stays', role: 'viewer' });
    const signedOut = await signInToConsole(here, other.body.token);
    await postgres.lag();
    const entered = browserWith(here, 'production', cookieOf(await press(link.url)));
    expect((await leaving.send('DELETE', 'session')).status).toBeLessThan(300);
    await here.support('DELETE', `${TOKENS}/${token.body.id}`);
    expect(await signedOut.signOut()).toBe(200);
    for (let i = 0; i < 3; i++) await call(here.addresses.production, key);
    await postgres.promote();
    await eventually(
      () => here.support('GET', '/support/v1/production/stats'),
      ({ status }) => status === 200,
    );
    await eventually(
      () => entered.get('me'),
      ({ status }) => status === 200,
    );
    const refused: [() => Promise<number>, number][] = [
      [async () => (await press(link.url)).status, 410],
      [async () => (await leaving.get('me')).status, 401],
      [async () => (await there.support('GET', TOKENS, undefined, token.body.token)).status, 401],
      [console.status, 401],
      [signedOut.status, 401],
    ];
    for (const [ask, wanted] of refused) await eventually(ask, (status) => status === wanted);

    // The journal of the limits has what a node admitted: a node that starts knows it.
    await eventually(
      () =>
        postgres.query('select count(*)::int as n from bellhop.admission where key_id = $1', [
          key.keyId,
        ]),
      ([row]) => (row?.n as number) >= 3,
    );
    const { url } = await postgres.link();
    const next = await startBellhop({ ...settings, BELLHOP_PRODUCTION_DATABASE_URL: url });
    expect((await call(next.addresses.production, key)).headers['x-ratelimit-remaining']).toBe(
      '96',
    );
  });

  test('a key that is revoked afterwards is refused by a node that was cut off meanwhile', async () => {
    const { postgres, nodes, links } = await startCluster();
    const [here, there] = nodes;
    const key = await here.newKey('production');
    await postgres.lag();
    await postgres.query(MANY_TRANSACTIONS);
    const isKnown = async () => (await call(there.addresses.production, key)).status;
    expect(await isKnown()).toBe(200);
    // A poll sees their numbers.
    await pause(500);
    links[1].freeze();
    await postgres.promote();
    links[1].freeze();
    const revoked = await eventually(
      () => here.support('DELETE', `${KEYS}/${key.keyId}`),
      (reply) => reply.status !== 503,
    );
    expect(revoked.status).toBe(204);
    await postgres.query(MANY_TRANSACTIONS);
    await postgres.query(MANY_TRANSACTIONS);
    links[1].thaw();
    await eventually(isKnown, (status) => status === 401, 10_000);
  });
});

/**
 * Walks every operation of the portal's document: with ids of another partner and of another environment, without a
 * session, with too small a scope, and with a read-only session. An operation that is not in the walk fails the test.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { type Running, start } from '../src/main/main.ts';
import {
  helpersOf,
  type SupportReply,
  settingsForTest,
  type TestBellhop,
} from '../testing/bellhop.ts';
import {
  browserWith,
  cookieOf,
  type PortalBrowser,
  press,
  signedInBrowser,
} from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';

interface Ids {
  key_id: string;
  id: string;
}

interface Step {
  /** The scope that it needs. */
  scope: 'read' | 'redeliver' | 'receiver' | 'keys' | 'contacts';
  body?: object | ((ids: Ids) => object);
  /** Of the query, with one of the ids. */
  query?: (ids: Ids) => string;
  /** The status for one's own; 200 if not given. */
  status?: number;
}

/** Every operation, in the order in which the walk does them. */
const WALK: Record<string, Step | 'needs no session'> = {
  signInWithKey: 'needs no session',
  signOut: 'needs no session',
  getEntrance: 'needs no session',
  getMe: { scope: 'read' },
  getHome: { scope: 'read' },
  listKeys: { scope: 'read' },
  getKey: { scope: 'read' },
  listApiKeys: { scope: 'read' },
  getLimits: { scope: 'read' },
  getKeyHistory: { scope: 'read' },
  listRefusals: { scope: 'read', query: ({ key_id }) => `key_id=${key_id}` },
  countRefusals: { scope: 'read', query: ({ key_id }) => `key_id=${key_id}` },
  tryLimit: {
    scope: 'read',
    query: () => 'endpoint=api/b2b/v3/search/hp/&requests_number=1&seconds_number=60',
  },
  listLimitRequests: { scope: 'read' },
  askForLimit: {
    scope: 'keys',
    body: ({ key_id }) => ({
      key_id,
      endpoint: 'api/b2b/v3/search/hp/',
      requests_number: 20,
      seconds_number: 60,
      reason: 'We grow.',
    }),
    status: 201,
  },
  updateKey: { scope: 'keys', body: { label: 'changed in the walk' } },
  rotateKey: { scope: 'keys', body: { overlap_seconds: 60 } },
  getMidoffice: { scope: 'read' },
  updateMidoffice: { scope: 'receiver', body: { body_form: 'both' } },
  sendTestEvent: { scope: 'redeliver' },
  checkReceiver: { scope: 'receiver', body: {} },
  rehearse: { scope: 'receiver', body: {} },
  recoverDeliveries: { scope: 'redeliver', body: { since: '2026-01-01T00:00:00Z' } },
  sendPending: { scope: 'redeliver' },
  listDeliveries: { scope: 'read' },
  countDeliveries: { scope: 'read' },
  getDelivery: { scope: 'read' },
  retryDelivery: { scope: 'redeliver' },
  getCase: { scope: 'read' },
  getContacts: { scope: 'read' },
  putContacts: {
    scope: 'contacts',
    body: { contacts: [{ email: 'ann@partner.example', notices: ['key_rotated'] }] },
  },
  confirmContactAgain: { scope: 'contacts', body: { email: 'ann@partner.example' } },
  listNotices: { scope: 'read' },
  listActivity: { scope: 'read' },
};

const SIGNING_IN: Step = { scope: 'read', body: { key_id: '1', api_key: '2' } };

/** A receiver that refuses connections at once. */
const NOBODY = 'http://127.0.0.1:9/hook';

type Environment = 'production' | 'sandbox';

interface World {
  bellhop: TestBellhop;
  operations: Operation[];
}

interface Operation {
  name: string;
  method: string;
  path: string;
  needsSession: boolean;
  /** Whether a caller could name what is of somebody else. */
  takesId: boolean;
}

interface Partner extends Ids {
  partnerId: string;
  midofficeId: string;
  orderId: string;
}

/** With a key, a midoffice and a webhook that is pending. */
async function newPartner(
  { bellhop }: World,
  environment: Environment,
  name: string,
): Promise<Partner> {
  const { support, newKey } = bellhop;
  const { keyId, partnerId } = await newKey(environment);
  const at = `/support/v1/${environment}`;
  const midoffice = { name: `${name}'s`, url: NOBODY, signing_key_id: keyId };
  const { body } = await support('POST', `${at}/midoffices`, midoffice);
  await support('PATCH', `${at}/partners/${partnerId}`, { name, midoffice_id: body.id });
  const orderId = `order of ${name}`;
  const event = {
    event_id: name,
    type: 'created',
    partner_id: partnerId,
    partner_order_id: orderId,
  };
  const { body: accepted } = await support('POST', `/orders/v1/${environment}/events`, event);
  expect(accepted.results[0].outcome).toBe('queued');
  // Another partner could have it only from somebody who was shown it.
  const { get } = await signedInBrowser(bellhop, environment, partnerId);
  const { id } = (await get('deliveries')).body.items[0];
  return { key_id: keyId, id, partnerId, midofficeId: body.id, orderId };
}

function walk(settings: () => Promise<Record<string, string>>): void {
  let running: Running;
  let world: World;
  let mine: Partner;
  let theirs: Partner;
  let elsewhere: Partner;
  let browser: PortalBrowser;
  beforeAll(async () => {
    const given = { ...LOOPBACK_RECEIVERS, BELLHOP_ROLES: 'back-office,portal' };
    running = await start(await settingsForTest({ ...given, ...(await settings()) }), () => {});
    const bellhop = helpersOf(running);
    world = { bellhop, operations: await operationsOf(bellhop) };
    mine = await newPartner(world, 'sandbox', 'Mine');
    theirs = await newPartner(world, 'sandbox', 'Theirs');
    // The first webhook of each database has the same id, so this one is not the first.
    await newPartner(world, 'production', 'First');
    await newPartner(world, 'production', 'Second');
    elsewhere = await newPartner(world, 'production', 'Elsewhere');
    browser = await signedInBrowser(bellhop, 'sandbox', mine.partnerId);
  });
  afterAll(() => running?.stop());

  /** Every operation with its step; those that sign in or out have tests of their own. */
  const steps = (): [Operation, Step][] =>
    Object.entries(WALK).flatMap(([name, step]) => {
      const operation = world.operations.find((one) => one.name === name);
      return step === 'needs no session' || !operation ? [] : [[operation, step]];
    });

  function call(
    by: PortalBrowser,
    { method, path }: Operation,
    { body, query }: Step,
    ids: Ids,
    added = '',
  ): Promise<SupportReply> {
    const filled = path
      .replace('/portal/v1/{environment}/', '')
      .replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name]);
    const search = [query?.(ids), added].filter(Boolean).join('&');
    const sent = typeof body === 'function' ? body(ids) : body;
    return by.send(method, search ? `${filled}?${search}` : filled, sent);
  }

  test('has every operation of the document, and no other', () => {
    expect(world.operations.map(({ name }) => name).sort()).toEqual(Object.keys(WALK).sort());
    const walked = steps().map(([{ name }]) => name);
    const left = world.operations.filter(({ name }) => !walked.includes(name));
    // Signing out twice does no harm, so it answers without a session too.
    const isFree = ({ name, needsSession }: Operation) => !needsSession || name === 'signOut';
    expect(left.filter((one) => !isFree(one))).toEqual([]);
  });

  test('without a session, nothing is answered', async () => {
    const { cookie } = browser;
    const wrong = ['', `${cookie.slice(0, -1)}_`, cookie.replace('sandbox', 'production')];
    for (const [operation, step] of steps()) {
      for (const sent of wrong) {
        const reply = await call(
          browserWith(world.bellhop, 'sandbox', sent),
          operation,
          step,
          mine,
        );
        const refused = { status: 401, body: { code: 'unauthenticated' } };
        expect(reply, operation.name).toMatchObject(refused);
      }
    }
  });

  test('a session of the sandbox is none in production', async () => {
    const { cookie } = browser;
    for (const sent of [cookie, cookie.replace('sandbox', 'production')]) {
      const there = browserWith(world.bellhop, 'production', sent);
      for (const [operation, step] of steps()) {
        const reply = await call(there, operation, step, mine);
        expect(reply.status, operation.name).toBe(401);
      }
    }
  });

  test('with all scopes but the one that it needs, a change is refused', async () => {
    const scopes = ['read', 'redeliver', 'receiver', 'keys', 'contacts'];
    for (const missing of scopes.slice(1)) {
      const body = { scopes: scopes.filter((scope) => scope !== missing) };
      const less = await signedInBrowser(world.bellhop, 'sandbox', mine.partnerId, body);
      for (const [operation, step] of steps()) {
        if (step.scope !== missing) continue;
        const reply = await call(less, operation, step, mine);
        const refused = { status: 403, body: { code: 'scope_required' } };
        expect(reply, operation.name).toMatchObject(refused);
      }
    }
    const changes = steps().filter(([{ method }]) => method !== 'GET');
    expect(changes.length).toBeGreaterThan(6);
    expect(changes.filter(([, { scope }]) => scope === 'read')).toEqual([]);
  });

  test('a read-only session reads everything and changes nothing', async () => {
    const path = `/support/v1/sandbox/partners/${mine.partnerId}/portal-preview`;
    const { body } = await world.bellhop.support('POST', path);
    const looking = browserWith(world.bellhop, 'sandbox', cookieOf(await press(body.url)));
    for (const [operation, step] of steps()) {
      const reply = await call(looking, operation, step, mine);
      const isRead = operation.method === 'GET';
      expect(reply.status, operation.name).toBe(isRead ? 200 : 403);
      if (!isRead) expect(reply.body.code, operation.name).toBe('read_only_session');
    }
  });

  test('a query parameter that an operation does not declare is refused and named', async () => {
    const signsIn = world.operations.filter(({ path }) => path.endsWith('/session'));
    const all = [...steps(), ...signsIn.map((one): [Operation, Step] => [one, SIGNING_IN])];
    for (const [operation, step] of all) {
      const reply = await call(browser, operation, step, mine, 'dry_run=true');
      expect([operation.name, reply.status, reply.body.errors]).toEqual([
        operation.name,
        422,
        [{ field: 'dry_run', detail: 'is not known here' }],
      ]);
    }
    expect((await browser.send('GET', 'me')).status).toBe(200);
    const { portal } = world.bellhop.addresses;
    expect((await fetch(`${portal}/portal/v1/entrance?dry_run=true`)).status).toBe(422);
  });

  test('a change from a page of another site is refused', async () => {
    for (const [operation, step] of steps()) {
      if (operation.method === 'GET') continue;
      const foreign = {
        ...browser,
        send: (method: string, to: string, body?: unknown) =>
          browser.send(method, to, body, { 'sec-fetch-site': 'cross-site' }),
      };
      const reply = await call(foreign, operation, step, mine);
      expect(reply, operation.name).toMatchObject({ status: 403, body: { code: 'csrf' } });
    }
  });

  test('what is of another partner or environment is answered as what does not exist', async () => {
    const unknown: Ids = { key_id: '1000000001', id: 'del_999999' };
    const walked: string[] = [];
    for (const [operation, step] of steps()) {
      if (!operation.takesId) continue;
      walked.push(operation.name);
      const nothing = await call(browser, operation, step, unknown);
      expect(nothing.status, operation.name).toBe(404);
      for (const ids of [theirs, elsewhere]) {
        const reply = await call(browser, operation, step, ids);
        expect(comparable(reply), operation.name).toEqual(comparable(nothing));
      }
    }
    const takeIds = world.operations.filter(({ takesId }) => takesId).map(({ name }) => name);
    expect(walked.sort()).toEqual(takeIds.sort());
    expect(walked).toEqual(expect.arrayContaining(['getKey', 'getDelivery', 'listRefusals']));
    for (const { partnerId, key_id } of [theirs, elsewhere]) {
      const environment = partnerId === theirs.partnerId ? 'sandbox' : 'production';
      const { body } = await world.bellhop.support(
        'GET',
        `/support/v1/${environment}/keys/${key_id}`,
      );
      expect(body).toMatchObject({ label: null, overlap_ends: [] });
    }
  });

  test('what is one’s own is shown and changed, and nothing of another partner is in any reply', async () => {
    for (const [operation, step] of steps()) {
      const reply = await call(browser, operation, step, mine);
      expect([operation.name, reply.status]).toEqual([operation.name, step.status ?? 200]);
      const text = JSON.stringify(reply.body);
      for (const foreign of [...Object.values(theirs), ...Object.values(elsewhere)]) {
        expect(text, operation.name).not.toContain(`"${foreign}"`);
      }
    }
  });

  test('nothing of a partner is in any reply to another one at the same midoffice', async () => {
    const guest = await newPartner(world, 'sandbox', 'Guest');
    const shared = { midoffice_id: theirs.midofficeId };
    await world.bellhop.support('PATCH', `/support/v1/sandbox/partners/${guest.partnerId}`, shared);
    const guests = await signedInBrowser(world.bellhop, 'sandbox', guest.partnerId);
    const { midofficeId, ...foreign } = theirs;
    for (const [operation, step] of steps()) {
      // One address gets only a few mails, and had them from the walks before.
      if (step.scope === 'contacts') continue;
      const reply = await call(guests, operation, step, guest);
      if (reply.status >= 400) expect(reply.body.code, operation.name).toBe('midoffice_not_own');
      const text = JSON.stringify(reply.body);
      for (const one of Object.values(foreign)) expect(text, operation.name).not.toContain(one);
    }
  });
}

/** Everything that a caller could tell two replies apart by. */
function comparable({ status, headers, body }: SupportReply) {
  const { date, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, body };
}

async function operationsOf({ addresses }: TestBellhop): Promise<Operation[]> {
  const reply = await fetch(`${addresses.portal}/openapi.json`);
  const { paths } = (await reply.json()) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, security, parameters = [] }]) => ({
      name: operationId,
      method: method.toUpperCase(),
      path,
      needsSession: security?.length !== 0,
      takesId: parameters.some((one) =>
        one.in === 'path' ? one.name !== 'environment' : one.name === 'key_id',
      ),
    })),
  );
}

interface Described {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
}

describe('the walk through the portal, embedded', () => walk(async () => ({})));
describeWithPostgres('the walk through the portal, on PostgreSQL', (_empty, databaseWithTables) =>
  walk(async () => ({
    BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
    BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
    BELLHOP_MASTER_KEY: newMasterKey(),
  })),
);

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEachBackOffice } from '../../testing/back-office-store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Clock } from '../base/clock.ts';
import { cidrs } from '../base/config/values.ts';
import { createLogger } from '../base/logging/logger.ts';
import { recordPerson } from '../resources/people/people.ts';
import { ensureFirstToken } from '../resources/tokens/first-token.ts';
import { createToken, deleteToken, findToken } from '../resources/tokens/tokens.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { backOfficeTables } from '../store/table-sets.ts';
import { createOwnPages } from './own-pages.ts';
import { createRoleChecks } from './role-checks.ts';
import {
  createSessions,
  endSessionsOfOtherIssuers,
  PERSON_SESSION_LIFE_MS,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from './session.ts';

const MINUTE_MS = 60_000;
/** The address of a trusted proxy. */
const socket = { remoteAddress: '10.0.0.1' };
const overTls = { 'x-forwarded-proto': 'https' };

describeOnEachBackOffice('a session', (newDatabase) => {
  async function signedIn() {
    const clock = new ManualClock();
    const { store } = await (await newDatabase()).open(clock);
    const sessions = createSessions(store, clock, createOwnPages(cidrs('10.0.0.1')));
    const { token } = await createToken(store, 'test', { name: 'Ann', role: 'viewer' });
    const row = await findToken(store, token, clock.now());
    if (!row) throw new Error('no token');
    const open = async (headers = {}) => {
      const setCookie = await sessions.open({ token: row }, { headers, socket });
      if (setCookie === undefined) throw new Error('not opened');
      const cookie = setCookie.split(';')[0] as string;
      return { headers: { ...headers, cookie }, socket, setCookie };
    };
    const usedAt = async () =>
      (await store.db.selectFrom('session').select('used_at').execute()).map((one) => one.used_at);
    return { clock, store, sessions, row, open, usedAt };
  }

  test('ends after 8 hours without use, and not before', async () => {
    const { clock, sessions, open } = await signedIn();
    const request = await open();
    clock.advance(SESSION_IDLE_MS - 1);
    expect(await sessions.find(request)).toMatchObject({ name: 'Ann', role: 'viewer' });
    clock.advance(SESSION_IDLE_MS - 1);
    expect(await sessions.find(request)).toBeDefined();
    clock.advance(SESSION_IDLE_MS);
    expect(await sessions.find(request)).toBeUndefined();
  });

  test('ends after 7 days however much it is used', async () => {
    const { clock, sessions, open } = await signedIn();
    const request = await open();
    const hour = 60 * MINUTE_MS;
    for (let ms = hour; ms < SESSION_LIFE_MS; ms += hour) {
      clock.advance(hour);
      expect(await sessions.find(request)).toBeDefined();
    }
    clock.advance(hour);
    expect(await sessions.find(request)).toBeUndefined();
  });

  test('a use is recorded at most once a minute, and background requests are not recorded', async () => {
    const { clock, sessions, open, usedAt } = await signedIn();
    const request = await open();
    const openedAt = clock.now();
    clock.advance(MINUTE_MS - 1);
    await sessions.find(request);
    expect(await usedAt()).toEqual([openedAt]);
    clock.advance(1);
    await sessions.find({
      headers: { ...request.headers, 'x-bellhop-background': '1' },
      socket,
    });
    expect(await usedAt()).toEqual([openedAt]);
    await sessions.find(request);
    expect(await usedAt()).toEqual([openedAt + MINUTE_MS]);
  });

  test('ends when its token expires', async () => {
    const { clock, store, sessions } = await signedIn();
    const expires_at = new Date(clock.now() + MINUTE_MS).toISOString();
    const made = await createToken(store, 'test', { name: 'Temp', role: 'viewer', expires_at });
    const row = await findToken(store, made.token, clock.now());
    if (!row) throw new Error('no token');
    const setCookie = await sessions.open({ token: row }, { headers: {}, socket });
    const request = { headers: { cookie: String(setCookie?.split(';')[0]) }, socket };
    clock.advance(MINUTE_MS - 1);
    expect(await sessions.find(request)).toMatchObject({ name: 'Temp' });
    clock.advance(1);
    expect(await sessions.find(request)).toBeUndefined();
  });

  test('is deleted with its token', async () => {
    const { store, sessions, row, open, usedAt } = await signedIn();
    const request = await open();
    await createToken(store, 'test', { name: 'Ben', role: 'admin' });
    await deleteToken(store, 'test', row.id);
    expect(await sessions.find(request)).toBeUndefined();
    expect(await usedAt()).toEqual([]);
    expect(await sessions.open({ token: row }, { headers: {}, socket })).toBeUndefined();
    expect(await usedAt()).toEqual([]);
  });

  test('does not come back when the admin token that was replaced is given again', async () => {
    const { clock, store, sessions } = await signedIn();
    await ensureFirstToken(store, 'given-as-the-admin-token');
    const row = await findToken(store, 'given-as-the-admin-token', clock.now());
    if (!row) throw new Error('no token');
    const setCookie = await sessions.open({ token: row }, { headers: {}, socket });
    const request = { headers: { cookie: String(setCookie?.split(';')[0]) }, socket };
    expect(await sessions.find(request)).toBeDefined();
    await ensureFirstToken(store, 'another-one-given');
    expect(await sessions.open({ token: row }, { headers: {}, socket })).toBeUndefined();
    await ensureFirstToken(store, 'given-as-the-admin-token');
    expect(await sessions.find(request)).toBeUndefined();
  });

  test('ended sessions are deleted when the next one is opened', async () => {
    const { clock, open, usedAt } = await signedIn();
    await open();
    clock.advance(SESSION_IDLE_MS);
    await open();
    expect(await usedAt()).toEqual([clock.now()]);
  });

  test('the database contains neither the id nor the token', async () => {
    const { store, open } = await signedIn();
    const { headers } = await open();
    const rows = JSON.stringify(await store.db.selectFrom('session').selectAll().execute());
    expect(rows).not.toContain(headers.cookie.split('=')[1]);
    expect(rows).not.toContain('bh_');
  });

  test('the cookie is found among others, and only under its own name', async () => {
    const { sessions, open } = await signedIn();
    const { headers } = await open();
    for (const cookie of [
      `a=b; ${headers.cookie}`,
      `${headers.cookie}; a=b`,
      `a=b;${headers.cookie}`,
    ]) {
      expect(await sessions.find({ headers: { cookie }, socket })).toBeDefined();
    }
    for (const cookie of [`x${headers.cookie}`, `${headers.cookie}x`, '', 'bellhop_session=']) {
      expect(await sessions.find({ headers: { cookie }, socket })).toBeUndefined();
    }
  });

  test('is found even if its use cannot be recorded', async () => {
    const { clock, store, sessions, open, usedAt } = await signedIn();
    const request = await open();
    const before = await usedAt();
    clock.advance(2 * MINUTE_MS);
    await refuseWrites(store);
    expect(await sessions.find(request)).toMatchObject({ name: 'Ann' });
    await expect(open()).rejects.toThrow();
    expect(await usedAt()).toEqual(before);
  });

  test('over TLS, the cookie has the prefix that stops others from setting it', async () => {
    const { open } = await signedIn();
    const rest = /^Path=\/; HttpOnly; Secure; SameSite=Strict$/;
    const [pair, ...attributes] = (await open(overTls)).setCookie.split('; ');
    expect(pair).toMatch(/^__Host-bellhop_session=[\w-]{43}$/);
    expect(attributes.join('; ')).toMatch(rest);
    expect((await open()).setCookie).toMatch(/^bellhop_session=[\w-]{43}; .*SameSite=Strict$/);
  });

  test('a cookie is valid only under the name that fits its connection', async () => {
    const { sessions, open } = await signedIn();
    const plain = await open();
    const secure = await open(overTls);
    expect(await sessions.find(secure)).toBeDefined();
    const id = secure.headers.cookie.split('=')[1];
    const unprefixed = { ...overTls, cookie: `bellhop_session=${id}` };
    expect(await sessions.find({ headers: unprefixed, socket })).toBeUndefined();
    const prefixed = { cookie: `__Host-${plain.headers.cookie}` };
    expect(await sessions.find({ headers: prefixed, socket })).toBeUndefined();
  });

  test('two cookies of its name are both ignored; cookies of other names do not matter', async () => {
    const { sessions, open } = await signedIn();
    const { headers } = await open();
    const planted = `bellhop_session=${'x'.repeat(43)}`;
    for (const cookie of [
      `${headers.cookie}; ${planted}`,
      `${planted}; ${headers.cookie}`,
      `${headers.cookie}; bellhop_session=`,
    ]) {
      expect(await sessions.find({ headers: { cookie }, socket })).toBeUndefined();
    }
    const secure = await open(overTls);
    const cookie = `${planted}; ${secure.headers.cookie}; ${planted}`;
    expect(await sessions.find({ headers: { ...overTls, cookie }, socket })).toBeDefined();
  });
});

describeOnEachBackOffice('the session of a person', (newDatabase) => {
  const ISSUER = 'https://login.example.com';
  const tokens = { refreshToken: 'a-refresh-token', idToken: undefined };
  /** Of a provider that is never asked. */
  function checksOf(store: BackOfficeStore, clock: Clock, issuer: string) {
    const identifyAgain = () => Promise.reject(new Error('asked'));
    const log = createLogger('silent', () => {});
    return createRoleChecks({
      store,
      provider: { issuer, identifyAgain },
      recheckMs: 0,
      clock,
      log,
    });
  }
  const ada = {
    issuer: ISSUER,
    subject: '248289761001',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    role: 'support',
  } as const;

  async function signedIn() {
    const clock = new ManualClock();
    const { store } = await (await newDatabase()).open(clock);
    const sessionsOf = (issuer?: string) =>
      createSessions(
        store,
        clock,
        createOwnPages([]),
        issuer === undefined ? undefined : checksOf(store, clock, issuer),
      );
    const request = { headers: { cookie: '' }, socket };
    async function signInAgain() {
      const person = await recordPerson(store, ada, clock.now());
      if (!person) throw new Error('no person');
      const setCookie = await sessionsOf(ISSUER).open({ person, tokens }, { headers: {}, socket });
      request.headers.cookie = String(setCookie?.split(';')[0]);
      return person;
    }
    const person = await signInAgain();
    const find = (issuer: string | undefined = ISSUER) => sessionsOf(issuer).find(request);
    return { clock, store, person, sessionsOf, request, find, signInAgain };
  }

  test('has the role of the person, whom the audit names', async () => {
    const { find } = await signedIn();
    expect(await find()).toEqual({
      name: 'Ada Lovelace',
      role: 'support',
      actor: 'Ada Lovelace <ada@example.com> (oidc 248289761001)',
    });
  });

  test('ends after 12 hours however much it is used, and after 8 without use', async () => {
    const { clock, find } = await signedIn();
    clock.advance(SESSION_IDLE_MS - 1);
    expect(await find()).toBeDefined();
    clock.advance(PERSON_SESSION_LIFE_MS - SESSION_IDLE_MS);
    expect(await find()).toBeDefined();
    clock.advance(1);
    expect(await find()).toBeUndefined();
    const idle = await signedIn();
    idle.clock.advance(SESSION_IDLE_MS);
    expect(await idle.find()).toBeUndefined();
  });

  test('is deleted when a sign-in anywhere brings another role, and does not come back', async () => {
    const { store, find, signInAgain } = await signedIn();
    await recordPerson(store, { ...ada, name: 'Ada' }, 0);
    expect(await find()).toMatchObject({ name: 'Ada', role: 'support' });
    for (const role of ['admin', 'viewer', null] as const) {
      await signInAgain();
      expect(await find()).toBeDefined();
      await recordPerson(store, { ...ada, role }, 0);
      expect([await find(), await storedIn(store)]).toEqual([undefined, 0]);
      await recordPerson(store, ada, 0);
      expect(await find()).toBeUndefined();
    }
  });

  test('is not opened if another sign-in has brought another role meanwhile', async () => {
    const { store, person, sessionsOf, find } = await signedIn();
    await recordPerson(store, { ...ada, role: null }, 0);
    const late = await sessionsOf(ISSUER).open({ person, tokens }, { headers: {}, socket });
    expect([late, await storedIn(store)]).toEqual([undefined, 0]);
    await recordPerson(store, ada, 0);
    expect(await find()).toBeUndefined();
  });

  test('has the role of its own sign-in or is gone, whatever happens at once on two nodes', async () => {
    const clock = new ManualClock();
    const place = await newDatabase();
    const { store: here } = await place.open(clock);
    const there = place.engine === 'postgres' ? (await place.open(clock)).store : here;
    const nodes = [here, there].map((store) => ({
      store,
      sessions: createSessions(store, clock, createOwnPages([]), checksOf(store, clock, ISSUER)),
    }));
    async function signIn(role: 'support' | 'viewer' | null, n: number) {
      const { store, sessions } = nodes[n % 2] as (typeof nodes)[number];
      const person = await recordPerson(store, { ...ada, role }, n);
      if (!person?.role) return undefined;
      const cookie = await sessions.open({ person, tokens }, { headers: {}, socket });
      if (cookie === undefined) return undefined;
      const request = { headers: { cookie: cookie.split(';')[0] }, socket };
      return { role, found: () => sessions.find(request) };
    }
    for (let round = 0; round < 10; round++) {
      const signedIn = await Promise.all(
        (['support', null, 'viewer', 'support'] as const).map(signIn),
      );
      let found = 0;
      for (const one of signedIn.filter((each) => each !== undefined)) {
        const principal = await one.found();
        expect([one.role, undefined]).toContain(principal?.role);
        if (principal) found++;
      }
      expect(await storedIn(here)).toBe(found);
      await here.db.deleteFrom('session').execute();
    }
  });

  test('ends if the provider is switched off or replaced by another', async () => {
    const { sessionsOf, request, find } = await signedIn();
    expect(await find('https://other.example.com')).toBeUndefined();
    expect(await sessionsOf(undefined).find(request)).toBeUndefined();
    expect(await find()).toBeDefined();
  });

  test('does not come back after a start with the provider switched off or replaced', async () => {
    const { store, find, signInAgain } = await signedIn();
    for (const issuer of [undefined, 'https://other.example.com']) {
      await signInAgain();
      await endSessionsOfOtherIssuers(store, ISSUER);
      expect(await find()).toBeDefined();
      await endSessionsOfOtherIssuers(store, issuer);
      expect(await find()).toBeUndefined();
    }
  });
});

async function storedIn({ db }: BackOfficeStore): Promise<number> {
  return (await db.selectFrom('session').select('digest').execute()).length;
}

/** Like a read-only disk or a standby. */
async function refuseWrites({ db, engine }: BackOfficeStore): Promise<void> {
  if (engine === 'sqlite') {
    await sql`pragma query_only = on`.execute(db);
    return;
  }
  await sql`create function refuse() returns trigger language plpgsql
            as $$ begin raise 'read-only' using errcode = '25006'; end $$`.execute(db);
  await sql`create trigger refuse before insert or update or delete on ${sql.table(`${backOfficeTables.schema}.session`)}
            for each statement execute function refuse()`.execute(db);
}

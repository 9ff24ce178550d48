/** Links and rotations in the middle of which the process is killed: each has happened or not, and nothing is lost. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { type BellhopProcess, spawnBellhop, type TestKey } from '../testing/bellhop.ts';
import { describeSettingsOfEachEngine, type NewSettings } from '../testing/engines.ts';
import {
  browserWith,
  cookieOf,
  newLink,
  type PortalBrowser,
  press,
  signedInBrowser,
} from '../testing/portal-browser.ts';
import { call } from './wire.ts';

/** So many that the kill meets some of them before, some during and some after their transaction. */
const PEOPLE = 6;
const SUPPORT = '/support/v1/sandbox';

interface Person {
  key: TestKey;
  browser: PortalBrowser;
  link: { id: string; url: string };
}

/** What came back before the end; undefined if nothing did. */
interface Replies {
  cookie?: string;
  apiKey?: string;
}

describeSettingsOfEachEngine(tests);

function tests(newSettings: NewSettings): void {
  test('kill -9 while links are used and keys are rotated', async () => {
    const settings = {
      ...(await newSettings()),
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_ROLES: 'partner-api,back-office,portal',
    };
    const victim = await spawnBellhop(settings);
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => newPerson(victim)));
    const replies = await actAndKill(victim, people, randomInt(1, 2 * PEOPLE));
    const bellhop = await spawnBellhop(settings);
    for (const [index, person] of people.entries()) {
      const got = replies[index] ?? {};
      await expectOneSession(bellhop, person, got);
      await expectKeysThatWork(bellhop, person, got);
    }
    await bellhop.stop();
  });
}

async function newPerson(bellhop: BellhopProcess): Promise<Person> {
  const key = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', key.partnerId);
  return { key, browser, link: await newLink(bellhop, 'sandbox', key.partnerId) };
}

/** Everybody uses a link and rotates a key at the same moment; so many replies come before the kill. */
async function actAndKill(
  victim: BellhopProcess,
  people: readonly Person[],
  killAfter: number,
): Promise<Replies[]> {
  let came = 0;
  const count = () => {
    came += 1;
    if (came === killAfter) victim.child.kill('SIGKILL');
  };
  const ofEach = await Promise.all(
    people.map(async ({ key, browser, link }) => {
      const got: Replies = {};
      const entered = press(link.url).then((reply) => {
        got.cookie = cookieOf(reply);
        count();
      });
      const path = `keys/${key.keyId}/rotation`;
      const rotated = browser.send('POST', path, { overlap_seconds: 3_600 }).then(({ body }) => {
        got.apiKey = body.api_key;
        count();
      });
      await Promise.allSettled([entered, rotated]);
      return got;
    }),
  );
  await victim.kill();
  return ofEach;
}

/** The link gave one session, and whoever got the cookie has it; or it can still be used. */
async function expectOneSession(
  bellhop: BellhopProcess,
  { key, link }: Person,
  { cookie }: Replies,
): Promise<void> {
  const at = `${SUPPORT}/partners/${key.partnerId}`;
  const state = async () => {
    const { body: links } = await bellhop.support('GET', `${at}/portal-links`);
    const { body: sessions } = await bellhop.support('GET', `${at}/portal-sessions`);
    return {
      link: links.items.find((one: { id: string }) => one.id === link.id).state,
      sessions: sessions.items.filter((one: { link_id: string }) => one.link_id === link.id).length,
    };
  };
  const after = await state();
  expect([
    { link: 'used', sessions: 1 },
    { link: 'open', sessions: 0 },
  ]).toContainEqual(after);
  if (cookie) {
    expect(after.link).toBe('used');
    expect((await browserWith(bellhop, 'sandbox', cookie).get('me')).status).toBe(200);
  }
  const reply = await press(new URL(new URL(link.url).pathname, bellhop.addresses.portal).href);
  expect(reply.status).toBe(after.link === 'open' ? 303 : 410);
  expect(await state()).toEqual({ link: 'used', sessions: 1 });
}

/** The old API key works in any case; the new one too, for whoever got it. */
async function expectKeysThatWork(
  bellhop: BellhopProcess,
  { key, browser }: Person,
  { apiKey }: Replies,
): Promise<void> {
  const statusWith = async (secret: string) => {
    const pair = Buffer.from(`${key.keyId}:${secret}`).toString('base64');
    return (await call(bellhop.addresses.sandbox, { authorization: `Basic ${pair}` })).status;
  };
  expect(await statusWith(key.apiKey)).toBe(200);
  if (apiKey) expect(await statusWith(apiKey)).toBe(200);
  const { body } = await bellhop.support('GET', `${SUPPORT}/keys/${key.keyId}`);
  expect(body.overlap_ends.length).toBeLessThanOrEqual(1);
  if (apiKey) expect(body.overlap_ends).toHaveLength(1);
  // Whoever did not get the new one rotates again, with the session of before.
  const again = browserWith(bellhop, 'sandbox', browser.cookie);
  const { body: rotated } = await again.send('POST', `keys/${key.keyId}/rotation`, {});
  expect(await statusWith(rotated.api_key)).toBe(200);
}

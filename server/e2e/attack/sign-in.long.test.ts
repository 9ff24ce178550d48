/**
 * Guesses sent all at once, so that many are being checked before the first is known to be wrong. The
 * right key comes last, and must be refused like any other guess after the limit. On PostgreSQL,
 * because an embedded look-up is synchronous and leaves no time for concurrent guesses.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import {
  ADMIN_TOKEN,
  basic,
  helpersOf,
  startHere,
  type TestBellhop,
  type TestKey,
} from '../../testing/bellhop.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { call, head, OVERVIEW_PATH, openWire } from '../wire.ts';

const GUESSES = 500;

describeWithPostgres('sign-ins at once', (freshDatabase) => {
  let bellhop: TestBellhop;
  const sandbox = () => bellhop.addresses.sandbox;

  beforeAll(async () => {
    const running = await startHere({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: await freshDatabase(),
      BELLHOP_MASTER_KEY: newMasterKey(),
      BELLHOP_TRUSTED_PROXIES: '127.0.0.1',
    });
    bellhop = helpersOf(running);
  });
  afterAll(() => bellhop?.stop());

  /** All requests in one packet, on one connection. */
  async function pipelined(address: string, requests: readonly string[]): Promise<number[]> {
    const wire = await openWire(address);
    wire.write(requests.join(''));
    const statuses: number[] = [];
    for (const _ of requests) statuses.push((await wire.next()).status);
    wire.socket.destroy();
    return statuses;
  }

  /** 20 get 401; all others get 429. */
  function expectTwentyWrong(statuses: readonly number[]): void {
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect({ wrong: count(401), heldBack: count(429) }).toEqual({
      wrong: 20,
      heldBack: GUESSES - 20,
    });
  }

  test('the right key after too many wrong ones is refused', async () => {
    const right = await bellhop.newKey('sandbox');
    const guess = (authorization: string) =>
      head(`GET ${OVERVIEW_PATH}`, { authorization, 'x-forwarded-for': '198.18.1.1' });
    const wrong = Array.from({ length: GUESSES - 1 }, (_, n) =>
      guess(basic(right.keyId, `guess ${n}`)),
    );
    const statuses = await pipelined(sandbox(), [...wrong, guess(right.authorization)]);
    expect(statuses.at(-1)).toBe(429);
    expectTwentyWrong(statuses);
    const elsewhere = { 'x-forwarded-for': '198.18.1.2' };
    expect((await call(sandbox(), { ...right, headers: elsewhere })).status).toBe(200);
  });

  test("the console's right token after too many wrong ones is refused too; valid ones alone all succeed", async () => {
    const signIn = (token: string, address: string) => {
      const body = JSON.stringify({ token });
      const headers = {
        'content-type': 'application/json',
        'content-length': String(body.length),
        'x-forwarded-for': address,
      };
      return head('POST /console/session', headers) + body;
    };
    const { backOffice } = bellhop.addresses;
    const wrong = Array.from({ length: GUESSES - 1 }, (_, n) => signIn(`guess ${n}`, '198.18.1.3'));
    const statuses = await pipelined(backOffice, [...wrong, signIn(ADMIN_TOKEN, '198.18.1.3')]);
    expect(statuses.at(-1)).toBe(429);
    expectTwentyWrong(statuses);
    const good = Array.from({ length: 60 }, () => signIn(ADMIN_TOKEN, '198.18.1.4'));
    expect(new Set(await pipelined(backOffice, good))).toEqual(new Set([200]));
  });

  test('200 valid first sign-ins from one address all succeed and do not lock it', async () => {
    const keys = await Promise.all(Array.from({ length: 30 }, () => bellhop.newKey('sandbox')));
    const headers = { 'x-forwarded-for': '198.18.1.5' };
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        call(sandbox(), { ...(keys[n % keys.length] as TestKey), headers }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const authorization = basic('1', '2');
    for (let failures = 0; failures < 20; failures++) {
      expect((await call(sandbox(), { authorization, headers })).status).toBe(401);
    }
    expect((await call(sandbox(), { authorization, headers })).status).toBe(429);
  });
});

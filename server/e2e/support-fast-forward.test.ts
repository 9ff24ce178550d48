import { expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';

// 22 attempts, on a machine that may be busy.
const SETTINGS = {
  BELLHOP_ROLES: 'delivery,back-office',
  ...LOOPBACK_RECEIVERS,
};

type Environment = 'sandbox' | 'production';

/** Posts an event to the receiver; resolves to the path of its delivery. */
async function send(bellhop: TestBellhop, environment: Environment, url: string): Promise<string> {
  const { support } = bellhop;
  const { keyId, partnerId } = await bellhop.newKey(environment);
  const midoffice = await support('POST', `/support/v1/${environment}/midoffices`, {
    name: 'Test midoffice',
    url,
    signing_key_id: keyId,
  });
  const { body } = await support('POST', `/orders/v1/${environment}/events`, {
    event_id: 'event 1',
    type: 'created',
    partner_id: partnerId,
    partner_order_id: 'order 1',
    midoffice_id: midoffice.body.id,
  });
  return `/support/v1/${environment}/deliveries/${body.results[0].delivery_id}`;
}

describeOnEachEngine('fast-forwarding a delivery', (start) => {
  const waiting = (bellhop: TestBellhop, path: string, attempts: number) =>
    eventually(
      async () => (await bellhop.support('GET', path)).body,
      (body) => body.attempts_made === attempts && !body.in_flight,
    );

  test('skips each wait of the schedule, through all 22 attempts, in one audit entry', async () => {
    const bellhop = await start(SETTINGS);
    const receiver = await startReceiver(status(500));
    const path = await send(bellhop, 'sandbox', receiver.url);
    for (let made = 1; made < 22; made++) {
      const { next_attempt_at } = await waiting(bellhop, path, made);
      const { status: code, body } = await bellhop.support('POST', `${path}/fast-forward`);
      expect([made, code, body.state]).toEqual([made, 200, 'pending']);
      expect(Date.parse(body.next_attempt_at)).toBeLessThan(Date.parse(next_attempt_at));
    }
    const { state, attempts } = await waiting(bellhop, path, 22);
    expect([state, attempts.length, receiver.received.length]).toEqual(['exhausted', 22, 22]);
    const after = await bellhop.support('POST', `${path}/fast-forward`);
    expect([after.status, after.body.code]).toEqual([409, 'delivery_settled']);
    const id = path.split('/').at(-1);
    const audit = await bellhop.support('GET', `/support/v1/sandbox/audit?subject=${id}`);
    expect(audit.body.items).toMatchObject([
      { action: 'delivery.fast_forward', after: { waits_skipped: 21 } },
    ]);
  });

  test('does not disturb an attempt in flight, and refuses production', async () => {
    const bellhop = await start(SETTINGS);
    const receiver = await startReceiver(() => {});
    const path = await send(bellhop, 'sandbox', receiver.url);
    await receiver.came(1);
    const { status: code, body } = await bellhop.support('POST', `${path}/fast-forward`);
    expect([code, body.in_flight]).toEqual([200, true]);
    receiver.answerAll(status(500));
    const { attempts } = await waiting(bellhop, path, 1);
    expect(attempts).toHaveLength(1);

    const inProduction = await send(bellhop, 'production', receiver.url);
    await waiting(bellhop, inProduction, 1);
    const before = (await bellhop.support('GET', inProduction)).body;
    const refused = await bellhop.support('POST', `${inProduction}/fast-forward`);
    expect([refused.status, refused.body.code]).toEqual([409, 'sandbox_only']);
    expect((await bellhop.support('GET', inProduction)).body).toMatchObject({
      next_attempt_at: before.next_attempt_at,
      attempts_made: 1,
    });
  });
});

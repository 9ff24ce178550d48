import { expect, test } from 'vitest';
import { listen } from './cli-listener.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();

test('registers itself in the sandbox and shows a verified webhook', async () => {
  const { ready, arrival, trigger, stop } = await listen(bellhop);
  expect(ready).toMatchObject({ kind: 'listening', url: expect.stringMatching(/\/hook$/) });
  expect(ready.trigger).toBe(`npx bellhop trigger --partner ${ready.partner_id}`);
  expect(await trigger('--type', 'cancelled', '--order', 'order 7')).toMatchObject({ code: 0 });
  expect(await arrival(1)).toMatchObject({
    kind: 'webhook',
    verified: true,
    refusal: null,
    type: 'cancelled',
    partner_order_id: 'order 7',
    attempt: 1,
    answered: 200,
  });
  expect(await stop('SIGINT')).toBe(0);
});

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeOnEachBackOffice } from '../../testing/back-office-store.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createToken, findToken, listTokens } from '../resources/tokens/tokens.ts';
import { createTokenUse, TOUCH_TOKEN_MS } from './sign-in.ts';

describeOnEachBackOffice('the last use of a token', (freshPlace) => {
  async function opened() {
    const clock = new ManualClock();
    const { store, close } = await (await freshPlace()).open(clock);
    const use = createTokenUse(store, clock);
    const { token } = await createToken(store, 'test', { name: 'Ann', role: 'viewer' });
    const row = async () => {
      const found = await findToken(store, token, clock.now());
      if (!found) throw new Error('no token');
      return found;
    };
    const lastUse = async () => (await listTokens(store, {})).items[0]?.last_used_at;
    const becomes = (ms: number) => eventually(lastUse, (at) => at === new Date(ms).toISOString());
    return { clock, close, use, row, lastUse, becomes };
  }

  test('is recorded, but not again within a minute', async () => {
    const { clock, use, row, lastUse, becomes } = await opened();
    expect(await lastUse()).toBeNull();
    const firstMs = clock.now();
    use(await row());
    await becomes(firstMs);

    clock.advance(TOUCH_TOKEN_MS - 1);
    use(await row());
    await setImmediate();
    expect(await lastUse()).toBe(new Date(firstMs).toISOString());

    clock.advance(1);
    use(await row());
    await becomes(firstMs + TOUCH_TOKEN_MS);
  });

  test('is recorded once for many requests that have read the same row', async () => {
    const { clock, use, row, becomes } = await opened();
    const before = await row();
    const firstMs = clock.now();
    use(before);
    clock.advance(1_000);
    for (let requests = 0; requests < 100; requests++) use(before);
    await becomes(firstMs);
    await setImmediate();
    await becomes(firstMs);
  });

  test('disturbs nobody if it cannot be stored', async () => {
    const { close, use, row } = await opened();
    const used = await row();
    await close();
    use(used);
    await setImmediate();
    await setImmediate();
  });
});

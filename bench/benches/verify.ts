/** How many webhooks one core verifies: readable, genuine, recent and new, by body and headers. */
import { createTokenMaker, createVerifier, memoryTokenStore } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import { type Bench, median } from '../bench.ts';

const ROUNDS = 7;
const WEBHOOKS = 20_000;
/** As on a busy server: Web Crypto works on other threads, so a single one would measure the waiting. */
const AT_ONCE = 16;

export const verify: Bench = {
  name: 'verify',
  async run(session) {
    const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
    const newToken = createTokenMaker();
    const verifier = createVerifier({
      apiKey,
      tokenStore: memoryTokenStore(),
      requireHeaders: true,
      toleranceSeconds: 600,
    });
    const encoder = new TextEncoder();
    const perSecond: number[] = [];
    const perCpuSecond: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      session.progress(`verifying, round ${round} of ${ROUNDS}`);
      const timestamp = Math.floor(Date.now() / 1_000);
      const webhooks = Array.from({ length: WEBHOOKS }, (_, n) => {
        const { body, headers } = signWebhook({
          webhookId: `evt_${round}_${n}`,
          event: { type: 'updated', partnerOrderId: `order-${n}`, agreementNumber: 'A-7' },
          form: 'data',
          timestamp,
          token: newToken(),
          bodyKey: apiKey,
          headerKeys: [apiKey],
        });
        return { body: encoder.encode(body), headers };
      });
      const startMs = performance.now();
      const cpuBefore = process.cpuUsage();
      let next = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let one = webhooks[next++]; one; one = webhooks[next++]) {
            const result = await verifier.verify(one.body, one.headers);
            if (!result.ok) throw new Error(`refused: ${result.message}`);
          }
        }),
      );
      const cpu = process.cpuUsage(cpuBefore);
      // The first round warms up.
      if (round === 0) continue;
      perSecond.push((WEBHOOKS * 1_000) / (performance.now() - startMs));
      perCpuSecond.push((WEBHOOKS * 1_000_000) / (cpu.user + cpu.system));
    }
    return [
      line('webhooks verified per second of one core’s time', perCpuSecond),
      line('webhooks verified per second by one process', perSecond),
    ];
  },
};

function line(title: string, rounds: number[]) {
  const result = median(rounds);
  return {
    title,
    unit: 'webhooks/s',
    measured: { name: 'verifier', median: result, rounds },
    result,
  };
}

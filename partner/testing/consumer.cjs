// What a partner's CommonJS program does with the installed package; package.long.test.ts runs it.
const { createVerifier } = require('@bellhop/partner');
const { signWebhook } = require('@bellhop/partner/node');

const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

async function outcomeOf(bodyKey) {
  const { body, headers } = signWebhook({
    webhookId: 'evt_1',
    event: { type: 'created', partnerOrderId: 'Zimmer 7 🛎' },
    form: 'both',
    timestamp: Math.floor(Date.now() / 1000),
    token: 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2',
    bodyKey,
    headerKeys: [bodyKey],
  });
  const result = await createVerifier({ apiKey, requireHeaders: true }).verify(body, headers);
  return result.ok ? 'ok' : result.reason;
}

async function sameEitherWay(entry) {
  const imported = Object.keys(await import(entry));
  return Object.keys(require(entry)).sort().join() === imported.sort().join();
}

async function main() {
  console.log(`genuine ${await outcomeOf(apiKey)}, forged ${await outcomeOf('other')}`);
  for (const entry of process.argv.slice(2)) {
    console.log(`${entry} exports the same either way: ${await sameEitherWay(entry)}`);
  }
}

main();

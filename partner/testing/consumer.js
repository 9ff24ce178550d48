// What a partner's program does with the installed package, on any runtime; package.long.test.ts runs it.
import {
  createClient,
  createFetchHandler,
  createPacer,
  createTokenMaker,
  createVerifier,
  memoryTokenStore,
  signWebhook,
} from '@bellhop/partner';

const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const nowSeconds = Math.floor(Date.now() / 1000);
const newToken = createTokenMaker();

function webhook(bodyKey, timestamp) {
  return signWebhook({
    webhookId: 'evt_1',
    event: { type: 'created', partnerOrderId: 'Zimmer 7 🛎' },
    form: 'both',
    timestamp,
    token: newToken(),
    bodyKey,
    headerKeys: [bodyKey],
  });
}

const verifier = createVerifier({ apiKey, tokenStore: memoryTokenStore(), requireHeaders: true });
async function outcome({ body, headers }) {
  const result = await verifier.verify(new TextEncoder().encode(body), new Headers(headers));
  return result.ok ? 'ok' : result.reason;
}

const genuine = await webhook(apiKey, nowSeconds);
console.log(
  `genuine ${await outcome(genuine)}, forged ${await outcome(await webhook('other', nowSeconds))}, ` +
    `stale ${await outcome(await webhook(apiKey, nowSeconds - 60))}, repeated ${await outcome(genuine)}`,
);

const handle = createFetchHandler({ apiKey, onEvent() {} });
async function status({ body, headers }) {
  const request = new Request('https://receiver.example/', { method: 'POST', body, headers });
  return (await handle(request)).status;
}
console.log(
  `the handler answers ${await status(genuine)}, ${await status(await webhook('other', nowSeconds))}, ` +
    `${await status({ body: 'no JSON', headers: {} })}`,
);

const client = createClient({
  baseUrl: 'https://api.example',
  keyId: '1',
  apiKey,
  fetch: async () =>
    Response.json({ data: null, error: 'incorrect_credentials', status: 'error' }, { status: 401 }),
});
const error = await createPacer({ client })
  .limits()
  .catch((caught) => caught);
console.log(`the client throws ${error.code}`);
const { process, Deno, Bun } = globalThis;
console.log(
  Deno ? `Deno ${Deno.version.deno}` : Bun ? `Bun ${Bun.version}` : `Node ${process.version}`,
);

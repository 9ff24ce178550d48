import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, createPacer, PartnerApiError } from '@bellhop/partner';
import { expect, onTestFinished, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';

const ENDPOINT = 'api/b2b/v3/search/hp/';

test('the pacer keeps many callers inside a limit without a single refusal', async () => {
  const upstream = createServer((_request, response) => void response.end('ok'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const bellhop = await startBellhop({ BELLHOP_SANDBOX_UPSTREAM_URL: `http://127.0.0.1:${port}` });
  const key = await bellhop.newKey('sandbox');
  await bellhop.support('PUT', `/support/v1/sandbox/keys/${key.keyId}/endpoints`, {
    endpoint: ENDPOINT,
    requests_number: 10,
    seconds_number: 1,
  });
  const statuses: number[] = [];
  const client = createClient({
    baseUrl: bellhop.addresses.sandbox,
    keyId: key.keyId,
    apiKey: key.apiKey,
    async fetch(...args) {
      const reply = await fetch(...args);
      statuses.push(reply.status);
      return reply;
    },
  });
  const pacer = createPacer({ client });
  const replies = await Promise.all(Array.from({ length: 35 }, () => pacer.call(ENDPOINT)));
  expect(replies.map(({ status }) => status)).toEqual(Array(35).fill(200));
  expect(statuses.filter((status) => status === 429)).toEqual([]);
  expect((await pacer.limits()).find(({ endpoint }) => endpoint === ENDPOINT)).toMatchObject({
    requests_number: 10,
    seconds_number: 1,
  });
});

test('the client tells by its code why a call was refused', async () => {
  const bellhop = await startBellhop();
  const client = createClient({ baseUrl: bellhop.addresses.sandbox, keyId: '1', apiKey: 'x' });
  const error = await client.overview().catch((caught) => caught);
  expect(error).toBeInstanceOf(PartnerApiError);
  expect(error).toMatchObject({ status: 401, code: 'incorrect_credentials' });
});

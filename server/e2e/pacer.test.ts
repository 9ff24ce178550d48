import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, createPacer, PartnerApiError } from '@bellhop/partner';
import { expect, onTestFinished, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';

const ENDPOINT = 'api/b2b/v3/search/hp/';

/** A key with a limit on one endpoint, and a pacer for it that counts refusals. */
async function pacedKey(requests: number) {
  const upstream = createServer((_request, response) => void response.end('ok'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const bellhop = await startBellhop({ BELLHOP_SANDBOX_UPSTREAM_URL: `http://127.0.0.1:${port}` });
  const key = await bellhop.newKey('sandbox');
  const allow = (requests_number: number) =>
    bellhop.support('PUT', `/support/v1/sandbox/keys/${key.keyId}/endpoints`, {
      endpoint: ENDPOINT,
      requests_number,
      seconds_number: 1,
    });
  await allow(requests);
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
  const call = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, () => pacer.call(ENDPOINT)));
    await Promise.all(replies.map((reply) => reply.text()));
    return replies.map(({ status }) => status);
  };
  return { allow, call, pacer, statuses };
}

test('the pacer keeps many callers within a limit without a refusal', async () => {
  const { call, pacer, statuses } = await pacedKey(10);
  expect(await call(35)).toEqual(Array(35).fill(200));
  expect(statuses.filter((status) => status === 429)).toEqual([]);
  expect((await pacer.limits()).find(({ endpoint }) => endpoint === ENDPOINT)).toMatchObject({
    requests_number: 10,
    seconds_number: 1,
  });
});

test('the pacer learns from the next reply that support has raised the limit', async () => {
  const { allow, call, pacer, statuses } = await pacedKey(2);
  await call(2);
  await allow(500);
  await call(1);
  const raised = () =>
    pacer.limits().then((all) => all.find(({ endpoint }) => endpoint === ENDPOINT));
  await eventually(raised, (entry) => entry?.requests_number === 500);
  expect(await call(300)).toEqual(Array(300).fill(200));
  expect(statuses.filter((status) => status === 429)).toEqual([]);
});

test("the client's error has the code of the refusal", async () => {
  const bellhop = await startBellhop();
  const client = createClient({ baseUrl: bellhop.addresses.sandbox, keyId: '1', apiKey: 'x' });
  const error = await client.overview().catch((caught) => caught);
  expect(error).toBeInstanceOf(PartnerApiError);
  expect(error).toMatchObject({ status: 401, code: 'incorrect_credentials' });
});

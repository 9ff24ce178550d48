import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeHandler, memoryTokenStore } from '@bellhop/partner';
import { linesFor } from '@bellhop/partner/receiver-check';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import {
  describeWebhooksOnEachEngine,
  MIDOFFICES,
  newSender,
  WEBHOOKS,
} from './webhook-bellhop.ts';

const AUDIT = '/support/v1/production/audit';

/** A receiver built with the package; its key is known only after registration. */
async function startHandler(): Promise<{ url: string; apiKey: string }> {
  let handle: RequestListener | undefined;
  const receiver = { url: '', apiKey: '' };
  const server = createServer((request, response) => {
    handle ??= createNodeHandler({
      apiKey: receiver.apiKey,
      tokenStore: memoryTokenStore(),
      onEvent() {},
    });
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

function certify({ support }: TestBellhop, midofficeId: string, body: object = {}, token?: string) {
  return support('POST', `${MIDOFFICES}/${midofficeId}/certify-receiver`, body, token);
}

async function lastAudit({ support }: TestBellhop, midofficeId: string) {
  return (await support('GET', `${AUDIT}?subject=${midofficeId}&limit=1`)).body.items[0];
}

describeWebhooksOnEachEngine('certify-receiver', {}, (bellhop) => {
  test('reports on a correct receiver line by line, and records the verdict in the audit', async () => {
    const receiver = await startHandler();
    const { midofficeId, apiKey } = await newSender(bellhop, receiver.url);
    receiver.apiKey = apiKey;
    const { status: code, body } = await certify(bellhop, midofficeId);
    expect(code).toBe(200);
    const names = linesFor('both').map(({ name }) => name);
    expect(body).toMatchObject({ url: receiver.url, form: 'both', verdict: 'passed', failed: 0 });
    expect(body.lines.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(Object.keys(body.lines[0]).sort()).toEqual(
      ['name', 'group', 'title', 'outcome', 'sent', 'expected', 'got', 'why', 'fix'].sort(),
    );
    expect(JSON.stringify(body)).not.toContain(apiKey);
    expect(await lastAudit(bellhop, midofficeId)).toMatchObject({
      action: 'midoffice.certify_receiver',
      before: null,
      after: { verdict: 'passed', url: receiver.url, passed: names.length, failed_lines: [] },
    });
    const list = await bellhop.support(
      'GET',
      `/support/v1/production/deliveries?midoffice_id=${midofficeId}`,
    );
    expect(list.body.items).toEqual([]);
  });

  test('explains what is wrong with a receiver, in the reply and in the audit', async () => {
    const receiver = await startReceiver(status(500, 'no'));
    const { midofficeId } = await newSender(bellhop, receiver.url);
    const { body } = await certify(bellhop, midofficeId, { form: 'data' });
    expect(body).toMatchObject({ form: 'data', verdict: 'failed' });
    const line = body.lines.find(({ name }: { name: string }) => name === 'data-form');
    expect(line).toMatchObject({ outcome: 'failed', got: expect.stringMatching(/^500 .*: no$/) });
    expect((await lastAudit(bellhop, midofficeId)).after).toMatchObject({
      verdict: 'failed',
      failed_lines: expect.arrayContaining(['data-form']),
    });
  });

  test('certifies a receiver that still has the old key during an overlap', async () => {
    const receiver = await startHandler();
    const { midofficeId, keyId, apiKey } = await newSender(bellhop, receiver.url);
    receiver.apiKey = apiKey;
    const path = `/support/v1/production/keys/${keyId}/rotation`;
    expect((await bellhop.support('POST', path, { overlap_seconds: 3_600 })).status).toBeLessThan(
      300,
    );
    expect((await certify(bellhop, midofficeId)).body).toMatchObject({ verdict: 'passed' });
  });

  test('runs once if asked twice at once, one request at a time', async () => {
    const receiver = await startReceiver(hang);
    const { midofficeId } = await newSender(bellhop, receiver.url);
    const both = [certify(bellhop, midofficeId), certify(bellhop, midofficeId)];
    await receiver.came(1);
    receiver.answerAll(status(302, '', { location: '/elsewhere' }));
    for (const { body } of await Promise.all(both)) expect(body.verdict).toBe('failed');
    expect(receiver.mostInFlight).toBe(1);
  });

  test('answers 422 for an unknown form, 404 for an unknown midoffice, 403 for viewers', async () => {
    const { midofficeId } = await newSender(bellhop);
    expect(await certify(bellhop, midofficeId, { form: 'xml' })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    });
    expect(await certify(bellhop, 'nonesuch')).toMatchObject({
      status: 404,
      body: { code: 'midoffice_not_found' },
    });
    for (const [role, code] of [
      ['viewer', 403],
      ['orders', 403],
      ['support', 200],
    ] as const) {
      const made = await bellhop.support('POST', '/support/v1/tokens', { name: role, role });
      const reply = await certify(bellhop, midofficeId, {}, made.body.token);
      expect([role, reply.status]).toEqual([role, code]);
    }
  });
});

test("never calls an address that the environment's rules forbid", async () => {
  const receiver = await startReceiver();
  const settings = { ...WEBHOOKS, BELLHOP_DATA_DIR: await temporaryFolder() };
  const open = await startBellhop(settings);
  const { midofficeId } = await newSender(open, receiver.url);
  await open.stop();
  const closed = await startBellhop({ ...settings, BELLHOP_PRODUCTION_RECEIVER_ALLOW: '' });
  const { body } = await certify(closed, midofficeId);
  expect(body).toMatchObject({ verdict: 'failed', failed: 1, passed: 0 });
  expect(body.lines[0]).toMatchObject({
    name: 'answers',
    outcome: 'failed',
    got: expect.stringContaining('127.0.0.1 is not a public address.'),
  });
  expect(receiver.received).toEqual([]);
});

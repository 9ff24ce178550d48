/** What the page of one partner shows: how far it is, and everything that happened to it. */

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listening } from '../../test/support.ts';
import type { TestBellhop } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';

const BASE = '/support/v1/production';
const SETTINGS = {
  BELLHOP_ROLES: 'back-office,delivery',
  ...LOOPBACK_RECEIVERS,
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1ms',
};

async function createMidoffice({ support }: TestBellhop, url: string, keyId: string) {
  const { body } = await support('POST', `${BASE}/midoffices`, {
    name: 'One',
    url,
    signing_key_id: keyId,
  });
  return body.id as string;
}

/** A receiver that gives everyone the same answer, whatever it gets. */
async function startAnswering(status: number) {
  const receiver = { status, url: '' };
  const server = createServer((request, reply) => {
    request.resume();
    reply.writeHead(receiver.status).end('{}');
  });
  const at = await listening(server);
  receiver.url = `${at.url}/`;
  return receiver;
}

interface Step {
  name: string;
  done: boolean;
  at: string | null;
  detail: string | null;
}

async function stepsOf({ support }: TestBellhop, partnerId: string): Promise<Step[]> {
  const { status, body } = await support('GET', `${BASE}/partners/${partnerId}/onboarding`);
  expect(status).toBe(200);
  return body.steps;
}

async function doneSteps(bellhop: TestBellhop, partnerId: string): Promise<string[]> {
  return (await stepsOf(bellhop, partnerId)).filter(({ done }) => done).map(({ name }) => name);
}

async function activityOf({ support }: TestBellhop, partnerId: string, limit = 200) {
  const items = [];
  let cursor = '';
  do {
    const path = `${BASE}/partners/${partnerId}/activity?limit=${limit}${cursor}`;
    const { status, body } = await support('GET', path);
    expect(status).toBe(200);
    items.push(...body.items);
    cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
  } while (cursor);
  return items;
}

describeOnEachEngine('the onboarding of a partner', (start) => {
  test('goes from the first key to the recorded certification', async () => {
    const bellhop = await start(SETTINGS);
    const receiver = await startAnswering(500);
    const { support } = bellhop;
    const { body: partner } = await support('POST', `${BASE}/partners`, {
      name: 'One',
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    const done = () => doneSteps(bellhop, partner.id);
    const partnerPath = `${BASE}/partners/${partner.id}`;
    expect(await done()).toEqual([]);

    const { body: key } = await support('POST', `${partnerPath}/keys`, { label: 'live' });
    expect(await done()).toEqual(['key']);
    await support('PATCH', `${BASE}/keys/${key.key_id}`, { disabled: true });
    expect((await stepsOf(bellhop, partner.id))[0]).toMatchObject({
      done: false,
      detail: 'No key works at the moment.',
    });
    await support('PATCH', `${BASE}/keys/${key.key_id}`, { disabled: false });

    const midofficeId = await createMidoffice(bellhop, receiver.url, key.key_id);
    await support('PATCH', partnerPath, { midoffice_id: midofficeId });
    expect(await done()).toEqual(['key', 'receiver']);

    const testEvent = `${BASE}/midoffices/${midofficeId}/test-event`;
    await support('POST', testEvent);
    const failed = (await stepsOf(bellhop, partner.id))[2];
    expect(failed).toMatchObject({ done: false, detail: expect.stringContaining('500') });
    receiver.status = 200;
    await support('POST', testEvent);
    expect(await done()).toEqual(['key', 'receiver', 'test_webhook']);

    // This receiver accepts everything, also what is forged.
    await support('POST', `${BASE}/midoffices/${midofficeId}/certify-receiver`);
    expect((await stepsOf(bellhop, partner.id))[3]).toMatchObject({
      name: 'receiver_certified',
      done: false,
      detail: expect.stringMatching(/^\d+ checks failed\.$/),
    });

    await support('POST', `${partnerPath}/certification`, { reference: 'CERT-1' });
    expect((await stepsOf(bellhop, partner.id))[4]).toMatchObject({ done: true, detail: 'CERT-1' });

    // A result says nothing about another URL.
    await support('PATCH', `${BASE}/midoffices/${midofficeId}`, { url: `${receiver.url}other` });
    expect(await done()).toEqual(['key', 'receiver', 'certification']);
  });

  test('of a partner that does not exist is not found', async () => {
    const bellhop = await start(SETTINGS);
    for (const path of ['onboarding', 'activity']) {
      const reply = await bellhop.support('GET', `${BASE}/partners/nobody/${path}`);
      expect([reply.status, reply.body.code]).toEqual([404, 'partner_not_found']);
    }
  });
});

describeOnEachEngine('the activity of a partner', (start) => {
  test('has its changes, notes and lost webhooks, and those of nobody else', async () => {
    const bellhop = await start(SETTINGS);
    const receiver = await startReceiver(status(500));
    const { support } = bellhop;
    const { keyId, partnerId } = await bellhop.newKey('production');
    const other = await bellhop.newKey('production');
    await support('POST', `${BASE}/partners/${other.partnerId}/notes`, { text: 'not this one' });
    const report = (order: string) =>
      support('POST', '/orders/v1/production/events', {
        event_id: order,
        type: 'created',
        partner_id: partnerId,
        partner_order_id: order,
      });
    await report('o0');
    const midofficeId = await createMidoffice(bellhop, receiver.url, keyId);
    await support('PATCH', `${BASE}/partners/${partnerId}`, { midoffice_id: midofficeId });
    await support('POST', `${BASE}/partners/${partnerId}/notes`, { text: 'on the partner' });
    await support('POST', `${BASE}/keys/${keyId}/notes`, { text: 'on the key' });
    await support('POST', `${BASE}/midoffices/${midofficeId}/notes`, { text: 'on the midoffice' });
    for (const order of ['o1', 'o2']) await report(order);
    const isGivenUp = (items: { kind: string; state: string; count: number }[]) =>
      items.filter(({ state }) => state === 'exhausted').reduce((n, { count }) => n + count, 0) ===
      2;
    const all = await eventually(() => activityOf(bellhop, partnerId), isGivenUp);

    const changes = all.filter(({ kind }) => kind === 'change');
    expect(changes.map(({ action }) => action).sort()).toEqual([
      'key.create',
      'midoffice.create',
      'partner.create',
      'partner.update',
    ]);
    const notes = all.filter(({ kind }) => kind === 'note');
    expect(notes.map(({ text, subject }) => [text, subject]).sort()).toEqual([
      ['on the key', keyId],
      ['on the midoffice', midofficeId],
      ['on the partner', partnerId],
    ]);
    expect(notes[0].actor).toBe('admin (tok_first)');
    const webhooks = all.filter(({ kind }) => kind === 'webhooks');
    expect(new Set(webhooks.map(({ state }) => state))).toEqual(new Set(['exhausted', 'unrouted']));
    expect(webhooks.every(({ subject }) => /^del_\d+$/.test(subject))).toBe(true);
    const lost = webhooks.filter(({ state }) => state === 'exhausted').flatMap((one) => one.orders);
    expect(lost.toSorted()).toEqual(['o1', 'o2']);
    const times = all.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    for (const limit of [1, 2, 3, 5]) {
      expect(await activityOf(bellhop, partnerId, limit)).toEqual(all);
    }
  });
});

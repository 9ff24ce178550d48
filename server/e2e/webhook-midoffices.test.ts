import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { importInto } from './imported-files.ts';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
  sharedWebhooks,
} from './webhook-bellhop.ts';

const URL = 'http://127.0.0.1:9/hook';
const [PAIR, OTHER] = [newPair('one'), newPair('two')];
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describeWebhooksOnEachEngine('midoffices', {}, (bellhop) => {
  const { support } = bellhop;

  async function auditOf(subject: string) {
    const { body } = await support('GET', `/support/v1/production/audit?subject=${subject}`);
    return body.items as { action: string; before: unknown; after: unknown; actor: string }[];
  }

  test('are registered with defaults, shown, changed and listed, and each change is audited', async () => {
    const { keyId } = await bellhop.newKey('production');
    const created = await support('POST', MIDOFFICES, {
      name: 'Zoë’s midoffice',
      url: URL,
      signing_key_id: keyId,
    });
    const { id } = created.body;
    const shown = {
      name: 'Zoë’s midoffice',
      url: URL,
      signing_key_id: keyId,
      body_form: 'data',
      delivery_order: 'any',
      max_in_flight: 16,
      max_per_second: null,
      headers: {},
      client_certificate: null,
      paused: false,
      failing_since: null,
    };
    expect(created).toMatchObject({ status: 201, body: { ...shown, created_at: TIME } });
    expect(id).toMatch(/^mid_[0-9a-f]{28}$/);
    expect((await support('GET', `${MIDOFFICES}/${id}`)).body).toMatchObject({ id, ...shown });

    const changes = {
      name: 'New name',
      url: 'http://127.0.0.1:10/other?x=1',
      body_form: 'both',
      delivery_order: 'per_order',
      max_in_flight: 256,
      max_per_second: 10_000,
      paused: true,
    };
    expect(await support('PATCH', `${MIDOFFICES}/${id}`, changes)).toMatchObject({
      status: 200,
      body: { id, ...shown, ...changes },
    });
    expect((await support('GET', `${MIDOFFICES}/${id}`)).body).toMatchObject(changes);
    const [updated, first] = await auditOf(id);
    expect(first).toMatchObject({ action: 'midoffice.create', before: null, after: shown });
    expect(updated).toMatchObject({ action: 'midoffice.update', before: shown, after: changes });

    const list = await support('GET', `${MIDOFFICES}?limit=1`);
    expect(list.body.items).toMatchObject([{ id, name: 'New name' }]);
  });

  test('need an existing key that is not revoked', async () => {
    const { keyId } = await bellhop.newKey('production');
    const { midofficeId } = await newSender(bellhop);
    const post = (signing_key_id: string) =>
      support('POST', MIDOFFICES, { name: 'x', url: URL, signing_key_id });
    const patch = (signing_key_id: string) =>
      support('PATCH', `${MIDOFFICES}/${midofficeId}`, { signing_key_id });
    for (const unknown of ['0', 'key\ud800', '']) {
      for (const change of [post, patch]) {
        expect([unknown, (await change(unknown)).status]).toEqual([unknown, 404]);
      }
    }
    await support('DELETE', `/support/v1/production/keys/${keyId}`);
    for (const change of [post, patch]) {
      expect(await change(keyId)).toMatchObject({ status: 409, body: { code: 'key_revoked' } });
    }
  });

  test('that do not exist get 404 from every call', async () => {
    for (const id of ['mid_none', 'x', '%20']) {
      const path = `${MIDOFFICES}/${id}`;
      for (const [method, at, body] of [
        ['GET', path, undefined],
        ['PATCH', path, { paused: true }],
        ['POST', `${path}/test-event`, undefined],
        ['POST', `${path}/recovery`, { since: '2020-01-01T00:00:00Z' }],
      ] as const) {
        expect(await support(method, at, body)).toMatchObject({
          status: 404,
          body: { code: 'midoffice_not_found' },
        });
      }
    }
    const { partnerId } = await bellhop.newKey('production');
    expect(
      await support('PATCH', `/support/v1/production/partners/${partnerId}`, {
        midoffice_id: 'mid_none',
      }),
    ).toMatchObject({ status: 404, body: { code: 'midoffice_not_found' } });
  });

  test('can be changed and read only by the right roles', async () => {
    const { keyId } = await bellhop.newKey('production');
    const { midofficeId } = await newSender(bellhop);
    const path = `${MIDOFFICES}/${midofficeId}`;
    for (const [role, reads, changes] of [
      ['viewer', 200, 403],
      ['support', 200, 0],
      ['orders', 403, 403],
    ] as const) {
      const { token } = (await support('POST', '/support/v1/tokens', { name: role, role })).body;
      const calls = [
        ['POST', MIDOFFICES, { name: 'x', url: URL, signing_key_id: keyId }],
        ['PATCH', path, { paused: false }],
        ['POST', `${path}/test-event`, undefined],
        ['POST', `${path}/recovery`, { since: '2020-01-01T00:00:00Z' }],
      ] as const;
      for (const at of [MIDOFFICES, path]) {
        expect((await support('GET', at, undefined, token)).status).toBe(reads);
      }
      for (const [method, at, body] of calls) {
        const reply = await support(method, at, body, token);
        if (changes) expect([role, at, reply.status]).toEqual([role, at, changes]);
        else expect([200, 201]).toContain(reply.status);
      }
    }
  });

  test('get a test event, whose attempt is returned and audited', async () => {
    const receiver = await startReceiver(status(202, 'thanks'));
    const { midofficeId } = await newSender(bellhop, receiver.url);
    const { status: code, body } = await support('POST', `${MIDOFFICES}/${midofficeId}/test-event`);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      number: 1,
      started_at: TIME,
      outcome: 'delivered',
      status_code: 202,
      reply_excerpt: 'thanks',
      error: null,
    });
    expect(receiver.received).toHaveLength(1);
    const [sent] = receiver.received;
    const masked = JSON.parse(sent?.body ?? '');
    expect(JSON.parse(body.request.body)).toEqual({
      ...masked,
      signature: { ...masked.signature, signature: '…' },
    });
    expect(body.request).toMatchObject({
      url: receiver.url,
      headers: {
        'webhook-id': sent?.headers['webhook-id'],
        'webhook-timestamp': sent?.headers['webhook-timestamp'],
        'webhook-signature': 'v1,…',
      },
    });
    const shown = await support('GET', `${MIDOFFICES}/${midofficeId}`);
    expect(shown.body).toMatchObject({ health: 'healthy', last_test: { at: TIME, attempt: body } });
    const [entry] = await auditOf(midofficeId);
    expect(entry).toMatchObject({
      action: 'midoffice.test_event',
      after: { outcome: 'delivered', status_code: 202, error: null, request: body.request },
    });
    const list = await support('GET', `${DELIVERIES}?midoffice_id=${midofficeId}`);
    expect(list.body.items).toEqual([]);
  });

  test('have a client certificate whose private key leaves only with exports of API keys', async () => {
    const { midofficeId } = await newSender(bellhop);
    const path = `${MIDOFFICES}/${midofficeId}`;
    const shown = async () => (await support('GET', path)).body.client_certificate;
    const { body } = await support('PATCH', path, { client_certificate: PAIR });
    expect(body.client_certificate).toEqual({
      subject: 'CN=one',
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      not_after: TIME,
    });
    await support('PATCH', path, { name: 'Other' });
    expect(await shown()).toEqual(body.client_certificate);
    const [, changed] = await auditOf(midofficeId);
    expect(changed).toMatchObject({
      before: { client_certificate: null },
      after: { client_certificate: body.client_certificate },
    });

    const lineOf = async (query: string) => {
      const reply = await fetch(
        `${bellhop.addresses.backOffice}/support/v1/production/export${query}`,
        { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
      );
      const lines = (await reply.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return lines.find((line) => line.id === midofficeId);
    };
    expect(await lineOf('')).not.toHaveProperty('client_certificate');
    const { id, ref, kind, client_certificate } = await lineOf('?api_keys=true');
    const imported = (changes: object) =>
      importInto(bellhop, JSON.stringify({ id, kind, ref, ...changes }));
    expect(client_certificate).toEqual(PAIR);
    const unchanged = await imported({ client_certificate });
    expect(unchanged.body).toMatchObject({ midoffices: { changed: 0, unchanged: 1 } });
    await imported({ client_certificate: OTHER });
    expect((await shown()).subject).toBe('CN=two');
    await support('PATCH', path, { client_certificate: null });
    expect(await shown()).toBeNull();
  });

  test('have headers whose values leave only with webhooks and exports of API keys', async () => {
    const receiver = await startReceiver();
    const secret = `s3cret-${crypto.randomUUID()}`;
    const headers = { Authorization: `Bearer ${secret}`, 'X-Tenant': secret };
    const hidden = { Authorization: '…', 'X-Tenant': '…' };
    const sender = await newSender(bellhop, receiver.url, { headers });
    const path = `${MIDOFFICES}/${sender.midofficeId}`;
    const shown: string[] = [];
    const see = async (method: string, at: string, body?: object) => {
      const reply = await support(method, at, body);
      shown.push(JSON.stringify(reply.body));
      return reply;
    };
    await see('POST', EVENTS, newEvent(sender));
    await receiver.came(1);
    expect((await see('POST', `${path}/test-event`)).body.outcome).toBe('delivered');
    expect((await see('GET', path)).body).toMatchObject({ headers: hidden });
    const changed = { headers: { ...hidden, 'X-Tenant': `${secret}-2` } };
    expect((await see('PATCH', path, changed)).body).toMatchObject({ headers: hidden });
    await see('POST', `${path}/test-event`);
    expect(
      receiver.received.map(({ headers: got }) => [got.authorization, got['x-tenant']]),
    ).toEqual([
      [`Bearer ${secret}`, secret],
      [`Bearer ${secret}`, secret],
      [`Bearer ${secret}`, `${secret}-2`],
    ]);
    const [, updated] = await auditOf(sender.midofficeId);
    expect(updated).toMatchObject({ after: { headers: hidden, changed_headers: ['X-Tenant'] } });
    await see('GET', `/support/v1/production/audit?subject=${sender.midofficeId}`);
    await see('GET', MIDOFFICES);
    await see('GET', `${DELIVERIES}?midoffice_id=${sender.midofficeId}`);
    for (const text of shown) expect(text).not.toContain(secret);

    const exported = async (query: string) => {
      const url = `${bellhop.addresses.backOffice}/support/v1/production/export${query}`;
      return (await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).text();
    };
    expect(await exported('')).not.toContain(secret);
    const line = (await exported('?api_keys=true'))
      .split('\n')
      .find((one) => one.includes(`"id":"${sender.midofficeId}"`) && one.includes('"midoffice"'));
    const exportedLine = JSON.parse(line ?? '{}');
    expect(exportedLine.headers).toEqual({ ...headers, 'X-Tenant': `${secret}-2` });
    const imported = (changes: object) =>
      importInto(bellhop, JSON.stringify({ ...exportedLine, ...changes }));
    for (const same of [{}, { headers: hidden }, { headers: undefined }]) {
      expect((await imported(same)).body).toMatchObject({ midoffices: { unchanged: 1 } });
    }
    const other = { headers: { ...hidden, 'X-Tenant': 'imported' } };
    expect((await imported(other)).body).toMatchObject({ midoffices: { changed: 1 } });
    await support('POST', `${path}/test-event`);
    expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-tenant': 'imported' });
    for (const [name, value] of [
      ['X-New', '…'],
      ['Host', 'x'],
    ] as const) {
      const refused = await imported({ headers: { [name]: value } });
      expect(refused.body.errors).toMatchObject([{ line: 1, field: `/headers/${name}` }]);
    }
  });

  test('get no more attempts in any second than max_per_second', async () => {
    const receiver = await startReceiver();
    const sender = await newSender(bellhop, receiver.url, { max_per_second: 4 });
    const events = Array.from({ length: 9 }, () => newEvent(sender));
    const accepted = await support('POST', EVENTS, { events });
    await receiver.came(9);
    const startedAtMs: number[] = [];
    for (const { delivery_id } of accepted.body.results) {
      await expect
        .poll(async () => (await support('GET', `${DELIVERIES}/${delivery_id}`)).body.state)
        .toBe('delivered');
      const { body } = await support('GET', `${DELIVERIES}/${delivery_id}`);
      startedAtMs.push(Date.parse(body.attempts[0].started_at));
    }
    startedAtMs.sort((a, b) => a - b);
    for (const [n, atMs] of startedAtMs.slice(4).entries()) {
      expect(atMs - (startedAtMs[n] as number)).toBeGreaterThanOrEqual(1_000);
    }
  });

  test('requeue the deliveries given up in a period, and return their number', async () => {
    const receiver = await startReceiver(status(500));
    const sender = await newSender(bellhop, receiver.url, { max_in_flight: 1 });
    const events = [newEvent(sender), newEvent(sender), newEvent(sender)];
    const ids: string[] = [];
    for (const event of events) {
      ids.push((await support('POST', EVENTS, event)).body.results[0].delivery_id);
    }
    const since = '2020-01-01T00:00:00Z';
    const recover = (body: object) =>
      support('POST', `${MIDOFFICES}/${sender.midofficeId}/recovery`, body);
    expect(await recover({ since })).toMatchObject({ status: 200, body: { requeued: 0 } });
    for (const id of ids.slice(0, 2)) {
      expect((await support('POST', `${DELIVERIES}/${id}/cancel`)).status).toBe(200);
    }
    await expect
      .poll(async () =>
        Promise.all(
          ids.map(async (id) => (await support('GET', `${DELIVERIES}/${id}`)).body.in_flight),
        ),
      )
      .toEqual([false, false, false]);
    expect((await recover({ since, until: '2020-01-02T00:00:00Z' })).body).toEqual({ requeued: 0 });
    receiver.answer = status(200);
    expect((await recover({ since })).body).toEqual({ requeued: 2 });
    await expect
      .poll(async () =>
        Promise.all(
          ids
            .slice(0, 2)
            .map(async (id) => (await support('GET', `${DELIVERIES}/${id}`)).body.state),
        ),
      )
      .toEqual(['delivered', 'delivered']);
    const [entry] = await auditOf(sender.midofficeId);
    expect(entry).toMatchObject({ action: 'midoffice.recover', after: { since, requeued: 2 } });
  });
});

// What the schema refuses, no engine sees.
describe('midoffices', () => {
  const bellhop = sharedWebhooks({});

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, '/name'],
    ['a name of control characters', { name: 'a\tb' }, '/name'],
    ['no URL', { url: undefined }, '/url'],
    ['a URL that is too long', { url: `http://127.0.0.1/${'x'.repeat(5_000)}` }, '/url'],
    ['no key', { signing_key_id: undefined }, '/signing_key_id'],
    ['an unknown form', { body_form: 'xml' }, '/body_form'],
    ['an unknown delivery order', { delivery_order: 'random' }, '/delivery_order'],
    ['no slots', { max_in_flight: 0 }, '/max_in_flight'],
    ['too many slots', { max_in_flight: 257 }, '/max_in_flight'],
    ['a pace of nothing', { max_per_second: 0 }, '/max_per_second'],
    ['a pace that is too high', { max_per_second: 10_001 }, '/max_per_second'],
    ['a header of HTTP', { headers: { Host: 'x' } }, '/headers/Host'],
    ['a header that is no text', { headers: { 'X-A': 1 } }, '/headers/X-A'],
    ['a header without a value', { headers: { 'X-A': '…' } }, '/headers/X-A'],
    [
      'a certificate without its key',
      { client_certificate: { certificate: PAIR.certificate, private_key: OTHER.private_key } },
      '/client_certificate/private_key',
    ],
    ['half a slot', { max_in_flight: 1.5 }, '/max_in_flight'],
    ['an unknown field', { paussed: true }, '/paussed'],
  ])('are refused with %s', async (_name, wrong, field) => {
    const { keyId } = await bellhop.newKey('production');
    const body = { name: 'x', url: URL, signing_key_id: keyId, ...wrong };
    const reply = await bellhop.support('POST', MIDOFFICES, body);
    expect([reply.status, reply.body.code]).toEqual([422, 'validation_failed']);
    expect(reply.body.errors).toMatchObject([{ field }]);
    const { midofficeId } = await newSender(bellhop);
    if (Object.values(wrong)[0] === undefined) return;
    const change = await bellhop.support('PATCH', `${MIDOFFICES}/${midofficeId}`, wrong);
    expect([change.status, change.body.errors[0].field]).toEqual([422, field]);
  });

  test.each([
    {},
    { since: 'yesterday' },
    { since: '2026-01-31' },
    { since: 7 },
    { since: null },
    { since: '2016-12-31T23:59:60Z' },
    { since: '2026-01-31T12:00:00Z', until: 'now' },
    { since: '2026-01-31T12:00:00Z', until: '2026-01-31T11:59:59.999Z' },
    { since: '9000-01-01T00:00:00Z' },
    { since: '2026-01-31T12:00:00Z', upto: '2026-01-31T12:00:00Z' },
  ])('refuse an invalid recovery: %j', async (body) => {
    const { midofficeId } = await newSender(bellhop);
    expect(
      await bellhop.support('POST', `${MIDOFFICES}/${midofficeId}/recovery`, body),
    ).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    });
  });
});

describe('a receiver address that is not https to a public address is refused', () => {
  const bellhop = sharedWebhooks({ BELLHOP_PRODUCTION_RECEIVER_ALLOW: '' });

  test.each([
    'http://93.184.216.34/hook',
    'https://10.0.0.1/hook',
    'https://10.255.1.2:8443/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fe80::1]/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://167772161/',
    'https://user@93.184.216.34/',
    'https://user:secret@93.184.216.34/',
    'https://93.184.216.34:22/',
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//93.184.216.34/',
    'not a url',
    'https://93.184.216.34/#fragment',
  ])('%s', async (url) => {
    const { keyId } = await bellhop.newKey('production');
    const refused = {
      status: 422,
      body: { code: 'receiver_refused', errors: [{ field: '/url' }] },
    };
    const body = { name: 'x', url, signing_key_id: keyId };
    expect(await bellhop.support('POST', MIDOFFICES, body)).toMatchObject(refused);
    const good = await bellhop.support('POST', MIDOFFICES, {
      ...body,
      url: 'https://93.184.216.34:8443/hook',
    });
    expect(good.status).toBe(201);
    const path = `${MIDOFFICES}/${good.body.id}`;
    expect(await bellhop.support('PATCH', path, { url })).toMatchObject(refused);
    const { body: after } = await bellhop.support('GET', path);
    expect(after.url).toBe('https://93.184.216.34:8443/hook');
  });
});

function newPair(name: string) {
  const { cert, key } = issueCertificate({ name });
  return { certificate: cert, private_key: key };
}

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { basic } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { overview } from './called-overview.ts';

describeOnEachEngine('taking over a key that partners use already', (_start, share) => {
  const shared = share();
  let next = 700_000;

  async function newPartner() {
    const bellhop = shared();
    const { partnerId } = await bellhop.newKey('production');
    const path = `/support/v1/production/partners/${partnerId}/keys`;
    const existing = { key_id: String(++next), api_key: randomUUID() };
    return { bellhop, path, existing };
  }

  test('keeps its credentials, so that the partner notices nothing', async () => {
    const { bellhop, path, existing } = await newPartner();
    const authorization = basic(existing.key_id, existing.api_key);
    expect((await overview(bellhop, authorization)).status).toBe(401);
    const { status, body } = await bellhop.support('POST', path, { label: 'old', ...existing });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...existing, label: 'old' });
    expect((await overview(bellhop, authorization)).status).toBe(200);
    expect((await overview(bellhop, authorization, 'sandbox')).status).toBe(401);
    const audit = await bellhop.support(
      'GET',
      `/support/v1/production/audit?subject=${existing.key_id}`,
    );
    expect(audit.body.items).toMatchObject([{ action: 'key.create', after: { taken_over: true } }]);
    expect(JSON.stringify(audit.body)).not.toContain(existing.api_key);
  });

  test('accepts other API keys than UUIDs', async () => {
    const { bellhop, path, existing } = await newPartner();
    const apiKey = 'From:the-old-system!';
    expect(
      (await bellhop.support('POST', path, { ...existing, api_key: apiKey })).body,
    ).toMatchObject({ api_key: apiKey });
    expect((await overview(bellhop, basic(existing.key_id, apiKey))).status).toBe(200);
  });

  test('is refused if a key with this id exists, also to one of two at the same time', async () => {
    const { bellhop, path, existing } = await newPartner();
    const take = () => bellhop.support('POST', path, { ...existing, api_key: randomUUID() });
    const replies = await Promise.all([take(), take(), take()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = replies.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'key_id_taken' });
    const winner = replies.find(({ status }) => status === 201)?.body;
    expect((await overview(bellhop, basic(winner.key_id, winner.api_key))).status).toBe(200);
    await bellhop.support('DELETE', `/support/v1/production/keys/${existing.key_id}`);
    expect((await take()).body).toMatchObject({ code: 'key_id_taken' });
  });

  test('needs the role admin', async () => {
    const { bellhop, path, existing } = await newPartner();
    const { body: support } = await bellhop.support('POST', '/support/v1/tokens', {
      ...{ name: 'Maya', role: 'support' },
    });
    const post = (body: object) =>
      fetch(bellhop.addresses.backOffice + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${support.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const refused = await post(existing);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'forbidden' });
    expect((await post({ label: 'new' })).status).toBe(201);
  });

  test.each([
    ['only the id', { key_id: '71' }, '/api_key'],
    ['only the API key', { api_key: randomUUID() }, '/key_id'],
    ['an id with letters', { key_id: '7a', api_key: randomUUID() }, '/key_id'],
    ['an API key that is too short', { key_id: '71', api_key: 'short' }, '/api_key'],
    ['an API key with a space', { key_id: '71', api_key: `${randomUUID()} x` }, '/api_key'],
  ])('is refused with %s', async (_, body, field) => {
    const { bellhop, path } = await newPartner();
    const reply = await bellhop.support('POST', path, body);
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
  });
});

import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type TestBellhop } from '../testing/bellhop.ts';
import {
  BACK_OFFICE_ONLY,
  describeOnEachEngine,
  PRODUCTION_ONLY,
  sharedBackOffice,
} from '../testing/engines.ts';

const AUDIT = '/support/v1/production/audit';
const HP = 'api/b2b/v3/search/hp/';

interface Entry {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

async function entries({ support }: TestBellhop, query = ''): Promise<Entry[]> {
  const { status, body } = await support('GET', `${AUDIT}?limit=200${query}`);
  expect(status).toBe(200);
  return body.items;
}

describeOnEachEngine('the audit', (start, share) => {
  const shared = share(BACK_OFFICE_ONLY);

  test('has one entry for each change: who, what, before and after', async () => {
    const bellhop = shared();
    const token = (
      await bellhop.support('POST', '/support/v1/tokens', { name: 'Ann', role: 'support' })
    ).body;
    const actor = `Ann (${token.id})`;

    /** One call by Ann; resolves to the reply and its audit entry. */
    async function act(method: string, path: string, body?: object) {
      const before = await entries(bellhop);
      const address = `/support/v1/production/${path}`;
      const reply = await bellhop.support(method, address, body, token.token);
      expect([200, 201, 204]).toContain(reply.status);
      const known = new Set(before.map(({ id }) => id));
      const [entry, ...more] = (await entries(bellhop)).filter(({ id }) => !known.has(id));
      expect(more).toEqual([]);
      expect(entry).toMatchObject({ actor, at: expect.stringMatching(/Z$/) });
      return { reply: reply.body, entry: entry as Entry };
    }

    const created = await act('POST', 'partners', {
      name: 'One',
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    const partner = created.reply;
    expect(created.entry).toMatchObject({
      action: 'partner.create',
      subject: partner.id,
      before: null,
      after: partner,
    });
    const renamed = await act('PATCH', `partners/${partner.id}`, { name: 'Two' });
    expect(renamed.entry).toMatchObject({
      action: 'partner.update',
      subject: partner.id,
      before: partner,
      after: { ...partner, name: 'Two' },
    });
    const certified = await act('POST', `partners/${partner.id}/certification`, { reference: 'C' });
    expect(certified.entry).toMatchObject({
      action: 'partner.certify',
      before: renamed.reply,
      after: certified.reply,
    });

    const made = await act('POST', `partners/${partner.id}/keys`, { endpoints: [HP] });
    const { api_key: _, ...key } = made.reply;
    expect(made.entry).toMatchObject({
      action: 'key.create',
      subject: key.key_id,
      before: null,
      after: { ...key, endpoints: [HP, 'api/b2b/v3/overview/'] },
    });
    const path = `keys/${key.key_id}`;
    const labelled = await act('PATCH', path, { label: 'till' });
    expect(labelled.entry).toMatchObject({
      action: 'key.update',
      before: key,
      after: { ...key, label: 'till' },
    });
    const rotated = await act('POST', `${path}/rotation`, {});
    const { api_key: __, ...after } = rotated.reply;
    expect(rotated.entry).toMatchObject({ action: 'key.rotate', before: labelled.reply, after });

    const { warnings: ___, ...grant } = (await act('PUT', `${path}/endpoints`, { endpoint: HP }))
      .reply;
    const changed = await act('PUT', `${path}/endpoints`, {
      endpoint: HP,
      requests_number: 99,
      approval_reference: 'SALES-1',
    });
    expect(changed.entry).toMatchObject({
      action: 'key.grant',
      subject: key.key_id,
      before: grant,
      after: { ...grant, requests_number: 99, approval_reference: 'SALES-1' },
    });
    const withdrawn = await act('DELETE', `${path}/endpoints?endpoint=${HP}`);
    expect(withdrawn.entry).toMatchObject({
      action: 'key.withdraw',
      before: { ...grant, requests_number: 99 },
      after: null,
    });
    const granted = await act('PUT', `${path}/endpoints`, { endpoint: HP });
    expect(granted.entry).toMatchObject({ action: 'key.grant', before: null, after: grant });

    const revoked = await act('DELETE', path);
    expect(revoked.entry).toMatchObject({
      action: 'key.revoke',
      before: after,
      after: { ...after, revoked_at: expect.stringMatching(/Z$/) },
    });
  });

  test('includes changes of tokens, in every environment', async () => {
    const bellhop = shared();
    const { body } = await bellhop.support('POST', '/support/v1/tokens', {
      name: 'Ann',
      role: 'viewer',
    });
    const { token: _, ...shown } = body;
    await bellhop.support('DELETE', `/support/v1/tokens/${body.id}`);
    const left = await entries(bellhop, `&subject=${body.id}`);
    expect(left.sort((a, b) => a.action.localeCompare(b.action))).toMatchObject([
      { action: 'token.create', actor: 'admin (tok_first)', before: null, after: shown },
      { action: 'token.delete', actor: 'admin (tok_first)', before: shown, after: null },
    ]);
    const path = `/support/v1/sandbox/audit?subject=${body.id}`;
    const inSandbox: Entry[] = (await bellhop.support('GET', path)).body.items;
    expect(inSandbox.sort((a, b) => a.action.localeCompare(b.action))).toEqual(left);
    const { body: stats } = await bellhop.support('GET', '/support/v1/sandbox/stats');
    expect(stats.recent_changes).toContainEqual(left[0]);
  });

  test("is one paged list of the environment's and the tokens' changes", async () => {
    const bellhop = await start(PRODUCTION_ONLY);
    for (let i = 0; i < 4; i++) {
      await bellhop.newKey('production');
      await bellhop.support('POST', '/support/v1/tokens', { name: `${i}`, role: 'viewer' });
    }
    const whole = await entries(bellhop);
    expect(whole).toHaveLength(1 + 4 * 3);
    const times = whole.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => b.localeCompare(a)));
    for (const limit of [1, 2, 3, 12]) {
      const pages: Entry[] = [];
      let cursor = '';
      do {
        const { body } = await bellhop.support('GET', `${AUDIT}?limit=${limit}${cursor}`);
        expect(body.items.length).toBeLessThanOrEqual(limit);
        pages.push(...body.items);
        cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
      } while (cursor);
      expect(pages).toEqual(whole);
    }
  });

  test('can be filtered by subject, actor and action, and belongs to one environment', async () => {
    const bellhop = shared();
    const { keyId, partnerId } = await bellhop.newKey('production');
    const inSandbox = await bellhop.newKey('sandbox');
    expect((await entries(bellhop, `&subject=${keyId}`)).map(({ action }) => action)).toEqual([
      'key.create',
    ]);
    const created = await entries(bellhop, '&action=partner.create');
    expect(new Set(created.map(({ action }) => action))).toEqual(new Set(['partner.create']));
    expect(created.map(({ subject }) => subject)).toContain(partnerId);
    expect(await entries(bellhop, `&action=key.create&subject=${partnerId}`)).toEqual([]);
    expect(await entries(bellhop, `&subject=${inSandbox.keyId}`)).toEqual([]);
    const byStart = await entries(bellhop, '&actor=start');
    expect(byStart).toMatchObject([{ action: 'token.create', subject: 'tok_first' }]);
    expect(JSON.stringify(byStart)).not.toContain(ADMIN_TOKEN);
  });

  test("can be filtered by the actor's name in any case, or by token if two have the same name", async () => {
    const bellhop = shared();
    const newToken = async (name: string) =>
      (await bellhop.support('POST', '/support/v1/tokens', { name, role: 'support' })).body;
    const people = [await newToken('Eva 100%'), await newToken('Eva 100%'), await newToken('Eva')];
    const partner = { name: 'P', integration_started_on: '2025-11-01', is_new: false };
    for (const { token } of people) {
      await bellhop.support('POST', '/support/v1/production/partners', partner, token);
    }
    const actors = async (actor: string) =>
      (await entries(bellhop, `&actor=${encodeURIComponent(actor)}`)).map((entry) => entry.actor);
    const [one, other, eva] = people.map(({ name, id }) => `${name} (${id})`) as [
      string,
      string,
      string,
    ];
    expect((await actors('eva 100%')).sort()).toEqual([one, other].sort());
    expect(await actors(one)).toEqual([one]);
    expect(await actors('Eva')).toEqual([eva]);
    expect(await actors('Ev%')).toEqual([]);
  });
});

describe('the audit', () => {
  const shared = sharedBackOffice();

  test('has no entry for refused changes and reads', async () => {
    const bellhop = shared();
    const { keyId, partnerId } = await bellhop.newKey('production');
    const before = await entries(bellhop);
    const base = '/support/v1/production';
    const calls = [
      ['GET', `${base}/partners`],
      ['GET', `${base}/keys/${keyId}/usage`],
      ['GET', `${base}/keys/${keyId}/endpoints`],
      ['POST', `${base}/partners`, { name: 'x' }],
      ['PATCH', `${base}/partners/${partnerId}`, { nmae: 'x' }],
      ['POST', `${base}/partners/par_none/keys`, {}],
      ['PUT', `${base}/keys/${keyId}/endpoints`, { endpoint: HP, requests_number: 11 }],
      ['DELETE', `${base}/keys/${keyId}/endpoints?endpoint=api/b2b/v3/overview/`],
      ['DELETE', `${base}/keys/0`],
      ['DELETE', '/support/v1/tokens/tok_first'],
    ] as const;
    for (const [method, path, body] of calls) await bellhop.support(method, path, body);
    await bellhop.support('DELETE', `${base}/keys/${keyId}`, undefined, 'a wrong token');
    expect(await entries(bellhop)).toEqual(before);
  });
});

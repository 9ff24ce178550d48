/** A partner asks for another limit in the portal, and support answers. */
import { expect, test } from 'vitest';
import { describeOnEachEngine } from '../testing/engines.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';

const HP = 'api/b2b/v3/search/hp/';
const SUPPORT = '/support/v1/production';
const LIMIT = { requests_number: 40, seconds_number: 60 };

describeOnEachEngine('a request for another limit', (_start, share) => {
  const bellhop = share();
  const ask = (method: string, path: string, body?: unknown) =>
    bellhop().support(method, `${SUPPORT}/${path}`, body);

  async function partner() {
    const { keyId, partnerId } = await bellhop().newKey('production');
    const browser = await signedInBrowser(bellhop(), 'production', partnerId);
    const asked = { key_id: keyId, endpoint: HP, ...LIMIT, reason: 'We grow.' };
    const request = (different: object = {}) =>
      browser.send('POST', 'limit-requests', { ...asked, ...different });
    const grant = async () => {
      const { items } = (await ask('GET', `keys/${keyId}/endpoints`)).body;
      return items.find(({ endpoint }: { endpoint: string }) => endpoint === HP);
    };
    return { keyId, partnerId, browser, request, grant };
  }

  test('is a task for support; granting changes the limit by the usual rules, and tells the partner', async () => {
    const { keyId, partnerId, browser, request, grant } = await partner();
    const created = await request();
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { id } = created.body;
    const shown = { key_id: keyId, endpoint: HP, ...LIMIT, reason: 'We grow.' };
    expect(created.body).toMatchObject({ ...shown, state: 'open', text: null, answered_at: null });
    const [task] = (await ask('GET', `limit-requests?state=open&partner_id=${partnerId}`)).body
      .items;
    expect(task).toMatchObject({ id, ...shown, partner_id: partnerId, answered_by: null });

    const answer = (body: object) => ask('POST', `limit-requests/${id}/answer`, body);
    expect((await answer({ granted: true })).body.code).toBe('certification_required');
    await ask('POST', `partners/${partnerId}/certification`, { reference: 'CERT-1' });
    expect((await answer({ granted: true })).body.code).toBe('approval_required');
    // A refused answer leaves everything as it was.
    expect(await grant()).toMatchObject({ requests_number: 10 });
    expect(
      (await ask('GET', `limit-requests?state=open&partner_id=${partnerId}`)).body.items,
    ).toHaveLength(1);

    const approved = { granted: true, approval_reference: 'SALES-7', text: 'Good luck.' };
    const granted = await answer(approved);
    expect(granted.body).toMatchObject({
      id,
      state: 'granted',
      text: 'Good luck.',
      answered_by: expect.any(String),
      approval_reference: 'SALES-7',
    });
    expect(await grant()).toMatchObject({ ...LIMIT, is_limited: true });
    expect((await answer(approved)).body.code).toBe('limit_request_answered');

    const own = (await browser.get('limit-requests')).body.items;
    expect(own).toEqual([expect.objectContaining({ id, state: 'granted', text: 'Good luck.' })]);
    expect(JSON.stringify(own)).not.toContain(granted.body.answered_by);
    const [notice] = (await browser.get('notices')).body.items;
    expect(notice).toMatchObject({
      kind: 'limit_answered',
      subject: expect.stringContaining('granted'),
    });
    const actions = (await ask('GET', `audit?subject=${keyId}`)).body.items;
    const told = actions.map(({ action }: { action: string }) => action);
    expect(told.slice(0, 3).sort()).toEqual([
      'key.grant',
      'limit_request.answer',
      'limit_request.create',
    ]);
  });

  test('can be refused, and then asked again; one is open for an endpoint at a time', async () => {
    const { request, grant, browser } = await partner();
    const { id } = (await request()).body;
    expect(await request()).toMatchObject({ status: 409, body: { code: 'limit_request_open' } });
    expect((await request({ endpoint: 'api/b2b/v3/hotel/info/' })).status).toBe(201);
    const refused = await ask('POST', `limit-requests/${id}/answer`, {
      granted: false,
      text: 'Not yet.',
    });
    expect(refused.body).toMatchObject({ state: 'refused', text: 'Not yet.' });
    const [newest] = (await browser.get('activity')).body.items;
    expect(newest).toMatchObject({
      by: 'support',
      sentence: expect.stringMatching(/^refused another limit of search\/hp\/ for /),
    });
    expect(await grant()).toMatchObject({ requests_number: 10 });
    expect((await request()).status).toBe(201);
    expect((await browser.get('limit-requests')).body.items).toHaveLength(3);
  });

  test('is refused for a key of another partner, an unknown endpoint and an unknown request', async () => {
    const [one, other] = [await partner(), await partner()];
    const foreign = await one.request({ key_id: other.keyId });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'key_not_found' } });
    expect((await one.request({ endpoint: 'nothing' })).status).toBe(422);
    expect((await one.request({ requests_number: 0 })).status).toBe(422);
    const answered = await ask('POST', 'limit-requests/lrq_0/answer', { granted: false });
    expect(answered).toMatchObject({ status: 404, body: { code: 'limit_request_not_found' } });
    expect((await other.browser.get('limit-requests')).body.items).toEqual([]);
  });

  test('at the same moment, two answers are one', async () => {
    const { request, browser } = await partner();
    const { id } = (await request()).body;
    const answers = await Promise.all(
      [1, 2].map(() => ask('POST', `limit-requests/${id}/answer`, { granted: false })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const kinds = (await browser.get('notices')).body.items.map(
      (one: { kind: string }) => one.kind,
    );
    expect(kinds.filter((kind: string) => kind === 'limit_answered')).toHaveLength(1);
  });
});

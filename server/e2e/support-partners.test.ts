import { describe, expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY, describeOnEachEngine, sharedBackOffice } from '../testing/engines.ts';

const PARTNERS = '/support/v1/production/partners';
const NEW = { name: 'Zoë’s travels 🧳', integration_started_on: '2024-02-29', is_new: false };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describeOnEachEngine('partners', (_start, share) => {
  const shared = share();

  test('are created, shown, changed and certified', async () => {
    const { support } = shared();
    const created = await support('POST', PARTNERS, NEW);
    expect(created).toMatchObject({ status: 201 });
    expect(created.headers.get('content-type')).toMatch(/^application\/json/);
    const { id } = created.body;
    expect(created.body).toEqual({
      id: expect.stringMatching(/^par_[0-9a-f]{28}$/),
      ...NEW,
      suspended: false,
      certified_at: null,
      certification_reference: null,
      midoffice_id: null,
      created_at: TIME,
    });

    const shown = await support('GET', `${PARTNERS}/${id}`);
    expect(shown).toMatchObject({ status: 200, body: created.body });
    const listed = await support('GET', PARTNERS);
    expect(listed.body.items).toContainEqual(expect.objectContaining(created.body));

    const renamed = await support('PATCH', `${PARTNERS}/${id}`, { name: 'Zoë' });
    expect(renamed).toMatchObject({ status: 200, body: { ...created.body, name: 'Zoë' } });
    const suspended = await support('PATCH', `${PARTNERS}/${id}`, { suspended: true });
    expect(suspended.body).toEqual({ ...created.body, name: 'Zoë', suspended: true });

    const reference = 'CERT-2025-7';
    const certified = await support('POST', `${PARTNERS}/${id}/certification`, { reference });
    expect(certified).toMatchObject({
      status: 200,
      body: { certified_at: TIME, certification_reference: reference, suspended: true },
    });
    expect((await support('GET', `${PARTNERS}/${id}`)).body).toEqual(certified.body);
  });

  test('belong to one environment', async () => {
    const { support, newKey } = shared();
    const { partnerId } = await newKey('sandbox');
    const path = `${PARTNERS}/${partnerId}`;
    const refused = [
      await support('GET', path),
      await support('PATCH', path, { name: 'x' }),
      await support('POST', `${path}/certification`, { reference: 'x' }),
      await support('POST', `${path}/keys`, {}),
    ];
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 404, body: { code: 'partner_not_found' } });
    }
    const { body } = await support('GET', PARTNERS);
    expect(body.items.map(({ id }: { id: string }) => id)).not.toContain(partnerId);
  });

  test('have no working key while they are suspended', async () => {
    const { addresses, support, newKey } = shared();
    const { partnerId, authorization } = await newKey('production');
    const second = await support('POST', `${PARTNERS}/${partnerId}/keys`, {});
    expect(second.status).toBe(201);
    const overview = async () => {
      const url = `${addresses.production}/api/b2b/v3/overview/`;
      return (await fetch(url, { headers: { authorization } })).status;
    };
    expect(await overview()).toBe(200);
    await support('PATCH', `${PARTNERS}/${partnerId}`, { suspended: true });
    expect(await overview()).toBe(403);
    await support('PATCH', `${PARTNERS}/${partnerId}`, { suspended: false });
    expect(await overview()).toBe(200);
  });
});

describe('the sandbox offer', () => {
  const bellhop = sharedBackOffice();
  const dates = [
    '2025-09-30',
    '2025-10-01',
    '2025-11-15',
    '2025-12-31',
    '2026-01-01',
    '2024-11-01',
  ];
  const INSIDE = ['2025-10-01', '2025-11-15', '2025-12-31'];

  test('is only for new partners that start within it', async () => {
    const { support } = await startBellhop(BACK_OFFICE_ONLY);
    for (const integration_started_on of dates) {
      for (const is_new of [true, false]) {
        const partner = { name: 'x', integration_started_on, is_new };
        const sandbox = await support('POST', '/support/v1/sandbox/partners', partner);
        const offered = is_new && INSIDE.includes(integration_started_on);
        expect([integration_started_on, is_new, sandbox.status]).toEqual([
          integration_started_on,
          is_new,
          offered ? 201 : 422,
        ]);
        if (!offered) expect(sandbox.body.code).toBe('sandbox_not_offered');
        const production = await support('POST', PARTNERS, partner);
        expect(production.status).toBe(201);
      }
    }
    const { body } = await support('GET', '/support/v1/sandbox/partners');
    expect(body.items).toHaveLength(INSIDE.length);
  });

  test('follows the setting', async () => {
    const { support } = await startBellhop({
      ...BACK_OFFICE_ONLY,
      BELLHOP_SANDBOX_OFFER: '2026-03-01..2026-03-01',
    });
    const create = (integration_started_on: string) =>
      support('POST', '/support/v1/sandbox/partners', {
        name: 'x',
        integration_started_on,
        is_new: true,
      });
    expect((await create('2026-02-28')).body).toMatchObject({
      code: 'sandbox_not_offered',
      detail:
        'The sandbox is offered only to new partners whose integration starts from 2026-03-01 to 2026-03-01.',
    });
    expect((await create('2026-03-01')).status).toBe(201);
    expect((await create('2026-03-02')).status).toBe(422);
    const offer = await support('GET', '/support/v1/sandbox/sandbox-offer');
    expect([offer.status, offer.body]).toEqual([200, { from: '2026-03-01', until: '2026-03-01' }]);
    const nowhere = await support('GET', '/support/v1/production/sandbox-offer');
    expect([nowhere.status, nowhere.body.code]).toEqual([409, 'sandbox_only']);
  });

  test.each([
    '2025-11-31',
    '2025-02-29',
    '2025-13-01',
    '2025-11-1',
    '2025-11-01T00:00:00Z',
    '',
    'today',
  ])('%j is not a date', async (integration_started_on) => {
    const { support } = bellhop();
    const partner = { ...NEW, is_new: true, integration_started_on };
    for (const environment of ['production', 'sandbox']) {
      expect(await support('POST', `/support/v1/${environment}/partners`, partner)).toMatchObject({
        status: 422,
        body: {
          code: 'validation_failed',
          errors: [{ field: '/integration_started_on', detail: expect.any(String) }],
        },
      });
    }
  });
});

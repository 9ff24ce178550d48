import { expect, test } from 'vitest';
import { describeOnEachBackOffice } from '../../../testing/back-office-store.ts';
import { freshFolder, Rig } from '../../../testing/delivery-rig.ts';
import { ManualClock } from '../../../testing/manual-clock.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { createPreview } from '../portal/create-link.ts';
import { exchangeLink, findSession } from '../portal/sessions.ts';
import { endSessionsOf, type Identity, listPeople, personInAudit, recordPerson } from './people.ts';

const ADA: Identity = {
  issuer: 'https://login.example.com',
  subject: 's1',
  name: 'Ada',
  email: 'ada@example.com',
  role: 'support',
};

async function actions({ db }: BackOfficeStore): Promise<string[]> {
  const rows = await db.selectFrom('audit').select('action').orderBy('id').execute();
  return rows.map(({ action }) => action);
}

test('the audit names a person with and without an email', () => {
  expect(personInAudit(ADA)).toBe('Ada <ada@example.com> (oidc s1)');
  expect(personInAudit({ ...ADA, email: null })).toBe('Ada (oidc s1)');
});

describeOnEachBackOffice('people', (freshPlace) => {
  async function opened() {
    const clock = new ManualClock();
    const { store } = await (await freshPlace()).open(clock);
    const record = (identity: Partial<Identity> = {}) => {
      clock.advance(1);
      return recordPerson(store, { ...ADA, ...identity }, clock.now());
    };
    return { clock, store, record };
  }

  test('are recorded at the first sign-in and when something changes, with an audit row', async () => {
    const { store, record } = await opened();
    const first = await record();
    expect(await record()).toMatchObject({ id: first?.id });
    expect(await record({ name: 'Ada L.' })).toMatchObject({ id: first?.id, name: 'Ada L.' });
    expect(await record({ name: 'Ada L.', role: null })).toMatchObject({ role: null });
    expect(await actions(store)).toEqual(['person.create', 'person.update', 'person.update']);
  });

  test('show when they last signed in', async () => {
    const { clock, store, record } = await opened();
    await record();
    const firstMs = clock.now();
    await record();
    const [shown] = (await listPeople(store, {})).items;
    expect(shown).toMatchObject({
      created_at: new Date(firstMs).toISOString(),
      signed_in_at: new Date(clock.now()).toISOString(),
    });
    expect(clock.now()).toBeGreaterThan(firstMs);
  });

  test('are not recorded if they never had a role', async () => {
    const { store, record } = await opened();
    expect(await record({ role: null })).toBeUndefined();
    expect((await listPeople(store, {})).items).toEqual([]);
    expect(await actions(store)).toEqual([]);
  });

  test('of two issuers are two people, even with the same id', async () => {
    const { store, record } = await opened();
    await record();
    await record({ issuer: 'https://other.example.com' });
    const page = await listPeople(store, { limit: 1 });
    expect(page.items).toMatchObject([{ issuer: 'https://other.example.com' }]);
    const rest = await listPeople(store, { limit: 1, cursor: page.next_cursor ?? undefined });
    expect(rest).toMatchObject({ items: [{ issuer: ADA.issuer }], next_cursor: null });
  });

  test('who sign in for the first time in two places at once are one person', async () => {
    const { store, record } = await opened();
    const [one, other] = await Promise.all([record(), record()]);
    expect(one?.id).toBe(other?.id);
    expect((await listPeople(store, {})).items).toHaveLength(1);
  });

  test('who are signed out no longer see what partners see', async () => {
    const { store, record } = await opened();
    const rig = await Rig.open(await freshFolder());
    const { environment } = rig;
    const { partnerId } = await rig.midoffice('http://127.0.0.1:9/hook');
    const ada = await record();
    const see = async (actor: string) => {
      const { url } = await createPreview(environment, actor, partnerId);
      return (await exchangeLink(environment, url.split('/').at(-1) as string, '192.0.2.7')).id;
    };
    const [theirs, another] = [await see(personInAudit(ADA)), await see('Ann (tok_1)')];
    await endSessionsOf([environment], store, 'Ann (tok_1)', ada?.id ?? '');
    expect(await findSession(environment, theirs, '192.0.2.7')).toBeUndefined();
    expect(await findSession(environment, another, '192.0.2.7')).toBeDefined();
  });

  test('who are not known have no sessions to end', async () => {
    const { store } = await opened();
    await expect(endSessionsOf([], store, 'test', 'per_none')).rejects.toMatchObject({
      code: 'person_not_found',
    });
  });
});

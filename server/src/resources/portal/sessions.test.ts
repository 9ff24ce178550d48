/** Links and sessions of the portal: what opens one, and everything that ends it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import {
  databaseAt,
  describeOnEachStore,
  Rig,
  type TestMidoffice,
} from '../../../testing/delivery-rig.ts';
import type { SupportEnvironment } from '../environment.ts';
import { revokeKey, updateKey } from '../keys/change-key.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { updatePartner } from '../partners/change-partner.ts';
import { createLink, createPreview } from './create-link.ts';
import { endLink, listLinks, showOffer } from './links.ts';
import { endPreviews } from './previews.ts';
import {
  endSession,
  endSessions,
  exchangeLink,
  findSession,
  listSessions,
  openSessionOfKey,
  PORTAL_SESSION_MS,
  PREVIEW_SESSION_MS,
} from './sessions.ts';

const ADDRESS = '192.0.2.7';
const ANN = 'Ann (tok_1)';
const INVALID = { code: 'portal_link_invalid' };

async function newToken(
  environment: SupportEnvironment,
  partnerId: string,
  given: Partial<Parameters<typeof createLink>[3]> = {},
): Promise<{ id: string; token: string }> {
  const link = await createLink(environment, ANN, partnerId, { scopes: ['redeliver'], ...given });
  return { id: link.id, token: link.url?.split('/').at(-1) as string };
}

describeOnEachStore('the portal', (newDatabase) => {
  let rig: Rig;
  let environment: SupportEnvironment;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    ({ environment } = rig);
    return () => rig.close();
  });

  const newPartner = (): Promise<TestMidoffice> => rig.midoffice('http://127.0.0.1:9/hook');
  const sessionsOf = async (partnerId: string) =>
    (await listSessions(environment, partnerId, {})).items;
  /** Each at a time of its own, so that there is an order. */
  function ofKey({ keyId, partnerId, apiKey }: TestMidoffice) {
    rig.clock.advance(1);
    const how = { scopes: ['read'] as const, address: ADDRESS };
    return openSessionOfKey(environment, { keyId, partnerId, apiKey }, how);
  }
  const find = (id: string, address = ADDRESS) => findSession(environment, id, address);

  async function audited(subject: string): Promise<string[]> {
    const rows = await environment.store.db
      .selectFrom('audit')
      .select(['actor', 'action'])
      .where('subject', '=', subject)
      .where('action', 'like', 'portal%')
      .orderBy('id')
      .execute();
    return rows.map(({ actor, action }) => `${action} by ${actor}`);
  }

  describe('a link', () => {
    test('has no links while nothing says where it is served', async () => {
      const { partnerId } = await newPartner();
      const without = { ...environment, hasPortal: false };
      const refused = { code: 'portal_not_served' };
      await expect(createLink(without, ANN, partnerId, { scopes: ['read'] })).rejects.toMatchObject(
        refused,
      );
      await expect(createPreview(without, ANN, partnerId)).rejects.toMatchObject(refused);
      expect((await listLinks(environment, partnerId, {})).items).toEqual([]);
    });

    test('opens one session, however many use it at the same moment', async () => {
      const { partnerId } = await newPartner();
      const { id, token } = await newToken(environment, partnerId);
      rig.clock.advance(1);
      const tries = Array.from({ length: 10 }, () => exchangeLink(environment, token, ADDRESS));
      const ended = await Promise.allSettled(tries);
      const refused = ended.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []));
      expect(refused).toEqual(Array(9).fill('portal_link_invalid'));
      expect(await sessionsOf(partnerId)).toEqual([
        expect.objectContaining({ link_id: id, came_by: 'link', scopes: ['read', 'redeliver'] }),
      ]);
      const partner = `Test partner (portal ${partnerId})`;
      expect(await audited(partnerId)).toEqual([
        `portal_link.create by ${ANN}`,
        `portal_session.open by ${partner}`,
      ]);
    });

    test('is not used by looking at it', async () => {
      const { partnerId } = await newPartner();
      const { token } = await newToken(environment, partnerId);
      for (const _ of [1, 2]) {
        const offer = await showOffer(environment, token);
        expect(offer).toEqual({ partnerName: 'Test partner', isPreview: false });
      }
      await exchangeLink(environment, token, ADDRESS);
      await expect(showOffer(environment, token)).rejects.toMatchObject(INVALID);
    });

    test('does not work when it has expired, was withdrawn, or never was', async () => {
      const { partnerId } = await newPartner();
      const short = await newToken(environment, partnerId, { expires_in_seconds: 60 });
      rig.clock.advance(1);
      const withdrawn = await newToken(environment, partnerId);
      await endLink(environment, ANN, partnerId, withdrawn.id);
      await endLink(environment, ANN, partnerId, withdrawn.id);
      rig.clock.advance(60_000);
      for (const token of [short.token, withdrawn.token, 'x'.repeat(43), 'x']) {
        await expect(showOffer(environment, token)).rejects.toMatchObject(INVALID);
        await expect(exchangeLink(environment, token, ADDRESS)).rejects.toMatchObject(INVALID);
      }
      const { items } = await listLinks(environment, partnerId, {});
      expect(items.map(({ state }) => state)).toEqual(['withdrawn', 'expired']);
      expect(JSON.stringify(items)).not.toContain(short.token);
    });

    test('that was used cannot be withdrawn, and nobody withdraws that of another partner', async () => {
      const { partnerId } = await newPartner();
      const other = await newPartner();
      const { id, token } = await newToken(environment, partnerId);
      await expect(endLink(environment, ANN, other.partnerId, id)).rejects.toMatchObject({
        code: 'portal_link_not_found',
      });
      await exchangeLink(environment, token, ADDRESS);
      await expect(endLink(environment, ANN, partnerId, id)).rejects.toMatchObject({
        code: 'portal_link_used',
      });
    });

    test('leads back only to pages', async () => {
      const { partnerId } = await newPartner();
      const to = (return_url: string) => newToken(environment, partnerId, { return_url });
      await expect(to('javascript:alert(1)')).rejects.toMatchObject({ code: 'validation_failed' });
      const { token } = await to('https://partners.example/home');
      const { session } = await exchangeLink(environment, token, ADDRESS);
      expect(session.return_url).toBe('https://partners.example/home');
    });

    test('of support shows what the partner sees, and the audit names support', async () => {
      const { partnerId } = await newPartner();
      const { url } = await createPreview(environment, ANN, partnerId);
      rig.clock.advance(1);
      const { session } = await exchangeLink(environment, url.split('/').at(-1) as string, ADDRESS);
      expect(session).toMatchObject({ came_by: 'support', scopes: '["read"]', opened_by: ANN });
      expect(await audited(partnerId)).toEqual([
        `portal_link.create by ${ANN}`,
        `portal_session.open by ${ANN}`,
      ]);
    });
  });

  describe('a session', () => {
    test('lasts 12 hours', async () => {
      const { id } = await ofKey(await newPartner());
      rig.clock.advance(PORTAL_SESSION_MS - 1);
      expect(await find(id)).toBeDefined();
      rig.clock.advance(1);
      expect(await find(id)).toBeUndefined();
    });

    test('of support lasts an hour', async () => {
      const { partnerId } = await newPartner();
      const { url } = await createPreview(environment, ANN, partnerId);
      const { id } = await exchangeLink(environment, url.split('/').at(-1) as string, ADDRESS);
      rig.clock.advance(PREVIEW_SESSION_MS - 1);
      expect(await find(id)).toBeDefined();
      rig.clock.advance(1);
      expect(await find(id)).toBeUndefined();
    });

    test('of support ends with its token, used or not', async () => {
      const { partnerId } = await newPartner();
      const preview = async (actor: string) =>
        (await createPreview(environment, actor, partnerId)).url.split('/').at(-1) as string;
      // Neither a name nor a wildcard stands for another token.
      const others = ['Ann (tok_1) (tok_2)', 'Ann (tok_11)', 'Ann (tokx1)', 'Ann (oidc tok_1)'];
      const sessions: string[] = [];
      for (const actor of [ANN, ...others]) {
        sessions.push((await exchangeLink(environment, await preview(actor), ADDRESS)).id);
      }
      const unused = await preview(ANN);
      const { token: given } = await newToken(environment, partnerId);
      await endPreviews([environment], 'Ben (tok_9)', 'tok_1');
      await endPreviews([environment], 'Ben (tok_9)', 'tok_1');
      const [ended, ...kept] = await Promise.all(sessions.map((id) => find(id)));
      expect(ended).toBeUndefined();
      expect(kept.map((session) => session?.opened_by)).toEqual(others);
      await expect(exchangeLink(environment, unused, ADDRESS)).rejects.toMatchObject(INVALID);
      await exchangeLink(environment, given, ADDRESS);
      const byBen = (await audited(partnerId)).filter((entry) => entry.endsWith('(tok_9)'));
      expect(byBen.sort()).toEqual([
        'portal_link.withdraw by Ben (tok_9)',
        'portal_session.end by Ben (tok_9)',
      ]);
    });

    test('ends when support ends it, or all of them', async () => {
      const partner = await newPartner();
      const [first, second, third] = [
        await ofKey(partner),
        await ofKey(partner),
        await ofKey(partner),
      ];
      const { partnerId } = partner;
      await endSession(environment, ANN, partnerId, first.session.id);
      await expect(endSession(environment, ANN, partnerId, first.session.id)).rejects.toMatchObject(
        { code: 'portal_session_not_found' },
      );
      expect(await find(first.id)).toBeUndefined();
      expect(await find(second.id)).toBeDefined();
      await endSessions(environment, ANN, partnerId);
      await endSessions(environment, ANN, partnerId);
      expect(await find(third.id)).toBeUndefined();
      expect((await audited(partnerId)).filter((one) => one.includes('.end by Ann'))).toHaveLength(
        3,
      );
    });

    test('ends with the suspension of the partner, and does not come back', async () => {
      const partner = await newPartner();
      const { partnerId } = partner;
      const { token } = await newToken(environment, partnerId);
      const { id } = await ofKey(partner);
      await updatePartner(environment, ANN, partnerId, { suspended: true });
      expect(await find(id)).toBeUndefined();
      await expect(exchangeLink(environment, token, ADDRESS)).rejects.toMatchObject(INVALID);
      await expect(ofKey(partner)).rejects.toMatchObject({ code: 'api_access_disabled' });
      await expect(newToken(environment, partnerId)).rejects.toMatchObject({
        code: 'partner_suspended',
      });
      await updatePartner(environment, ANN, partnerId, { suspended: false });
      expect(await find(id)).toBeUndefined();
      expect((await exchangeLink(environment, token, ADDRESS)).id).toMatch(/^[\w-]{43}$/);
    });

    test('ends with the key that opened it, and no other does', async () => {
      const partner = await newPartner();
      const { partnerId, keyId } = partner;
      const byKey = await ofKey(partner);
      const { token } = await newToken(environment, partnerId);
      const byLink = await exchangeLink(environment, token, ADDRESS);
      await updateKey(environment, ANN, keyId, { disabled: true });
      expect(await find(byKey.id)).toBeUndefined();
      await updateKey(environment, ANN, keyId, { disabled: false });
      expect(await find(byKey.id)).toBeDefined();
      await rotateKey(environment, ANN, keyId, {});
      expect(await find(byKey.id)).toBeDefined();
      await rotateKey(environment, ANN, keyId, { end_overlaps: true });
      expect(await find(byKey.id)).toBeUndefined();
      await expect(ofKey(partner)).rejects.toMatchObject({ code: 'incorrect_credentials' });
      const { api_key: apiKey } = await rotateKey(environment, ANN, keyId, {});
      const again = await ofKey({ ...partner, apiKey });
      await revokeKey(environment, ANN, keyId);
      expect(await find(again.id)).toBeUndefined();
      await expect(ofKey({ ...partner, apiKey })).rejects.toMatchObject({
        code: 'incorrect_credentials',
      });
      expect(await find(byLink.id)).toBeDefined();
    });

    test('ends with the API key that signed in, and outlives the others of its key', async () => {
      const first = await newPartner();
      const { partnerId, keyId } = first;
      const rotate = async (input: Parameters<typeof rotateKey>[3]) => {
        const { api_key: apiKey } = await rotateKey(environment, ANN, keyId, input);
        return { ...first, apiKey };
      };
      const byFirst = await ofKey(first);
      const second = await rotate({ overlap_seconds: 7_200 });
      const bySecond = await ofKey(second);
      const third = await rotate({ overlap_seconds: 3_600 });
      const byThird = await ofKey(third);
      const lateByFirst = await ofKey(first);
      const open = async () => {
        const all = [byFirst, lateByFirst, bySecond, byThird];
        const listed = new Set((await sessionsOf(partnerId)).map(({ id }) => id));
        return Promise.all(
          all.map(async ({ id, session }) => [
            (await find(id)) !== undefined,
            listed.has(session.id),
          ]),
        );
      };
      const [yes, no] = [
        [true, true],
        [false, false],
      ];
      expect(await open()).toEqual([yes, yes, yes, yes]);
      rig.clock.advance(3_600_000);
      expect(await open()).toEqual([yes, yes, no, yes]);
      rig.clock.advance(3_600_000);
      expect(await open()).toEqual([no, no, no, yes]);
      await rotate({ overlap_seconds: 0 });
      expect(await open()).toEqual([no, no, no, no]);
      const ended = (await audited(partnerId)).filter((one) =>
        one.startsWith('portal_session.end'),
      );
      expect(ended).toHaveLength(1);
    });

    test('that a key opened is refused from an address that the key no longer allows', async () => {
      const partner = await newPartner();
      const { token } = await newToken(environment, partner.partnerId);
      const byLink = await exchangeLink(environment, token, ADDRESS);
      const { id } = await ofKey(partner);
      await updateKey(environment, ANN, partner.keyId, { allowed_ips: ['198.51.100.0/24'] });
      expect(await find(id)).toBeUndefined();
      expect(await find(id, '198.51.100.9')).toBeDefined();
      expect(await find(byLink.id)).toBeDefined();
      await updateKey(environment, ANN, partner.keyId, { allowed_ips: [`${ADDRESS}/32`] });
      expect(await find(id)).toBeDefined();
    });

    test('is one of at most 100 of a partner, and of 30 that keys open in a minute', async () => {
      const partner = await newPartner();
      const first = await ofKey(partner);
      for (let opened = 1; opened < 100; opened++) {
        if (opened % 30 === 0) rig.clock.advance(60_000);
        await ofKey(partner);
      }
      expect(await find(first.id)).toBeDefined();
      await ofKey(partner);
      expect(await find(first.id)).toBeUndefined();
      for (let opened = 11; opened < 30; opened++) await ofKey(partner);
      await expect(ofKey(partner)).rejects.toMatchObject({
        code: 'too_many_portal_calls',
        retryAfterMs: 60_000 - 30,
      });
    });
  });
});

describeWithPostgres('the portal on two nodes', (_empty, databaseWithTables) => {
  test('one of them gets the session, and what one ends is ended on the other', async () => {
    const url = await databaseWithTables();
    const here = await Rig.open(databaseAt(url));
    const there = await Rig.open(databaseAt(url), { clock: here.clock });
    const { partnerId } = await here.midoffice('http://127.0.0.1:9/hook');
    const { token } = await newToken(here.environment, partnerId);
    const ended = await Promise.allSettled(
      [here, there, here, there].map(({ environment }) =>
        exchangeLink(environment, token, ADDRESS),
      ),
    );
    const [opened, ...more] = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    expect(more).toEqual([]);
    const id = opened?.id as string;
    expect(await findSession(there.environment, id, ADDRESS)).toBeDefined();
    await endSessions(here.environment, ANN, partnerId);
    expect(await findSession(there.environment, id, ADDRESS)).toBeUndefined();
  });
});

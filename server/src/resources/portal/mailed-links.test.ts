/** Links that support has mailed: only a confirmed contact gets one, and nothing but the mail holds it. */
import { expect, test } from 'vitest';
import { describeOnEachStore, type Rig } from '../../../testing/delivery-rig.ts';
import { confirmed, mailerOf, mailWorld } from '../../../testing/mail-rig.ts';
import { startMailServer } from '../../../testing/mail-server.ts';
import { HOUR_MS } from '../../gateway/usage-history/counts.ts';
import { FIRST_WAIT_MS } from '../../notices/mailer.ts';
import { showEntries } from '../audit/audit.ts';
import { newestAudit } from '../audit/queries.ts';
import { putContacts } from '../notices/contacts.ts';
import { listNotices } from '../notices/notices.ts';
import { createPartner } from '../partners/change-partner.ts';
import { listPartnerActivity } from './activity.ts';
import { createLink } from './create-link.ts';
import { endLink, listLinks, MOST_MAILED_LINKS } from './links.ts';
import { exchangeLink } from './sessions.ts';

const ANN = 'Ann (tok_1)';
const BOB = 'bob@partner.example';

async function mailedTo(rig: Rig, partnerId: string, given = {}) {
  const what = { scopes: ['read' as const], recipient: BOB, ...given };
  return createLink(rig.environment, ANN, partnerId, what);
}

const linksOf = async ({ environment }: Rig, partnerId: string) =>
  (await listLinks(environment, partnerId, {})).items;

/** Everything that is stored. */
async function everything({ store: { db } }: Rig): Promise<string> {
  const tables = ['portal_link', 'portal_link_token', 'mail', 'notice', 'audit'] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

const tokenIn = (text: string | undefined) =>
  /https:\/\/portal\.example\/enter\/production\/([\w-]{43})\r\n/.exec(text ?? '')?.[1] as string;

describeOnEachStore('a mailed link', (newDatabase) => {
  test('reaches its contact, works once however often it was sent, and is kept nowhere else', async () => {
    const { rig, server, partnerId, mailer } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, [BOB], []);
    const link = await mailedTo(rig, partnerId, { recipient: 'Bob@Partner.example' });
    expect(link).toMatchObject({ url: null, mailed_to: BOB });
    expect(await linksOf(rig, partnerId)).toMatchObject([
      { id: link.id, state: 'open', mail: { recipient: BOB, state: 'waiting', tries: 0 } },
    ]);
    // Nobody knows whether it has the mail, so it gets another.
    server.answer('drop');
    await mailer.round();
    server.answer('quote');
    rig.clock.advance(FIRST_WAIT_MS);
    await mailer.round();
    const refused = (await linksOf(rig, partnerId))[0]?.mail?.error;
    expect(refused).toContain('we do not like https://portal.example/enter/production/…');
    server.answer('take');
    rig.clock.advance(2 * FIRST_WAIT_MS);
    await mailer.round();
    expect(server.received.map(({ to }) => to)).toEqual([[BOB], [BOB], [BOB]]);
    const mail = server.received[2]?.text;
    expect(mail).toContain('Subject: Your link to the portal (production)');
    expect(mail).toContain('It works once, until ');
    const tokens = server.received.map(({ text }) => tokenIn(text));
    expect(new Set(tokens).size).toBe(3);
    const stored = await everything(rig);
    for (const token of tokens) expect(stored).not.toContain(token);
    await exchangeLink(rig.environment, tokens[0] as string, '192.0.2.7');
    for (const token of tokens) {
      await expect(exchangeLink(rig.environment, token, '192.0.2.7')).rejects.toMatchObject({
        code: 'portal_link_invalid',
      });
    }
    expect(await linksOf(rig, partnerId)).toMatchObject([
      { state: 'used', mail: { recipient: BOB, state: 'sent', tries: 3, error: null } },
    ]);
    const { items } = await listNotices(rig.environment, { partner_id: partnerId });
    expect(items.map(({ kind, mails }) => [kind, mails])).toEqual([['signed_in_by_link', []]]);
  });

  test('is told with its recipient, to support and to the partner', async () => {
    const { rig, partnerId } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, [BOB]);
    rig.clock.advance(1);
    await mailedTo(rig, partnerId);
    const { db } = rig.store;
    const audit = await showEntries(db, await newestAudit(db, { limit: 1 }, {}));
    const { items: activity } = await listPartnerActivity(rig.environment, partnerId, {});
    for (const entry of [audit[0], activity[0]]) {
      expect(entry?.sentence).toMatch(/^made a link to the portal for .*, mailed to bob@partner/);
      expect(entry?.after).toMatchObject({ mailed_to: BOB });
    }
  });

  test('goes to nobody who is not a confirmed contact, and not too often', async () => {
    const { rig, partnerId } = await mailWorld(newDatabase);
    const other = await rig.midoffice('http://127.0.0.1:9/hook');
    await confirmed(rig, other.partnerId, ['eve@other.example']);
    await confirmed(rig, partnerId, [BOB]);
    const asked = ['new@partner.example', BOB].map((email) => ({ email, notices: [] }));
    await putContacts(rig.environment, ANN, partnerId, { contacts: asked });
    for (const recipient of ['new@partner.example', 'eve@other.example', 'nobody']) {
      await expect(mailedTo(rig, partnerId, { recipient })).rejects.toMatchObject({
        code: 'validation_failed',
        errors: [expect.objectContaining({ field: '/recipient' })],
      });
    }
    await expect(mailedTo(rig, partnerId, { expires_in_seconds: 86_401 })).rejects.toMatchObject({
      errors: [expect.objectContaining({ field: '/expires_in_seconds' })],
    });
    const mute = { ...rig.environment, sendsMail: false };
    const unsent = createLink(mute, ANN, partnerId, { scopes: ['read'], recipient: BOB });
    await expect(unsent).rejects.toMatchObject({ code: 'mail_not_sent' });
    expect(await linksOf(rig, partnerId)).toEqual([]);
    for (let made = 0; made < MOST_MAILED_LINKS; made++) await mailedTo(rig, partnerId);
    await expect(mailedTo(rig, partnerId)).rejects.toMatchObject({
      code: 'too_many_mailed_links',
      retryAfterMs: HOUR_MS,
    });
    rig.clock.advance(HOUR_MS);
    await mailedTo(rig, partnerId);
  });

  test('goes to an address ten times an hour, also for many partners at the same moment', async () => {
    const { rig } = await mailWorld(newDatabase);
    const { db } = rig.store;
    const now = rig.clock.now();
    const contact = { email: BOB, notices: '[]', created_at: now, confirmed_at: now };
    const about = { name: 'Ann', integration_started_on: '2025-11-01', is_new: false };
    const partnerIds = await Promise.all(
      Array.from({ length: MOST_MAILED_LINKS + 4 }, async () => {
        const { id: partner_id } = await createPartner(rig.environment, ANN, about);
        await db
          .insertInto('contact')
          .values({ ...contact, partner_id })
          .execute();
        return partner_id;
      }),
    );
    const all = await Promise.allSettled(partnerIds.map((id) => mailedTo(rig, id)));
    const refused = all.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []));
    expect(refused).toEqual(Array(4).fill('too_many_mailed_links'));
  });

  test('that is withdrawn while the mail before it is sent is not sent any more', async () => {
    const { rig, partnerId } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, [BOB]);
    const first = await mailedTo(rig, partnerId);
    rig.clock.advance(1);
    const second = await mailedTo(rig, partnerId);
    const server = await startMailServer({
      onMailFrom: (_address, _session, done) =>
        void endLink(rig.environment, ANN, partnerId, second.id).then(() => done(), done),
    });
    await mailerOf(rig, server).round();
    expect(server.received).toHaveLength(1);
    expect(await linksOf(rig, partnerId)).toMatchObject([
      { id: second.id, mail: { state: 'given_up', error: expect.stringContaining('withdrawn') } },
      { id: first.id, mail: { state: 'sent' } },
    ]);
  });

  test('that was withdrawn or has expired is not sent any more, nor one to a removed contact', async () => {
    const { rig, server, partnerId, mailer } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, [BOB, 'cay@partner.example']);
    await mailedTo(rig, partnerId, { expires_in_seconds: 60 });
    rig.clock.advance(1);
    const { id } = await mailedTo(rig, partnerId);
    rig.clock.advance(1);
    await mailedTo(rig, partnerId, { recipient: 'cay@partner.example' });
    await endLink(rig.environment, ANN, partnerId, id);
    await putContacts(rig.environment, ANN, partnerId, { contacts: [{ email: BOB, notices: [] }] });
    rig.clock.advance(60_000);
    await mailer.round();
    expect(server.received).toEqual([]);
    const mails = (await linksOf(rig, partnerId)).map(({ mail }) => [mail?.state, mail?.error]);
    expect(mails).toEqual([
      ['given_up', 'The contact was removed.'],
      ['given_up', expect.stringContaining('withdrawn')],
      ['given_up', 'The link expired before the mail could be sent.'],
    ]);
  });

  test('ends with its contact, for its partner alone, even if the mail was sent', async () => {
    const { rig, server, partnerId, mailer } = await mailWorld(newDatabase);
    const { partnerId: other } = await rig.midoffice('http://127.0.0.1:9/hook');
    await confirmed(rig, other, [BOB]);
    await confirmed(rig, partnerId, [BOB, 'cay@partner.example']);
    await mailedTo(rig, other);
    await mailedTo(rig, partnerId, { recipient: 'cay@partner.example' });
    rig.clock.advance(1);
    const used = await mailedTo(rig, partnerId);
    await mailer.round();
    await exchangeLink(rig.environment, tokenIn(server.received[2]?.text), '192.0.2.7');
    rig.clock.advance(1);
    const { id } = await mailedTo(rig, partnerId);
    await mailer.round();
    const contacts = [{ email: 'cay@partner.example', notices: [] }];
    await putContacts(rig.environment, ANN, partnerId, { contacts });
    const links = (await linksOf(rig, partnerId)).map(({ state, mail }) => [
      state,
      mail?.recipient,
    ]);
    expect(links).toEqual([
      ['withdrawn', BOB],
      ['used', BOB],
      ['open', 'cay@partner.example'],
    ]);
    expect(await linksOf(rig, other)).toMatchObject([{ state: 'open' }]);
    const token = tokenIn(server.received.at(-1)?.text);
    await expect(exchangeLink(rig.environment, token, '192.0.2.7')).rejects.toMatchObject({
      code: 'portal_link_invalid',
    });
    const { db } = rig.store;
    const audit = await newestAudit(db, { limit: 20 }, { action: 'portal_link.withdraw' });
    expect(audit).toMatchObject([{ actor: ANN, subject: partnerId }]);
    expect(audit[0]?.after).toContain(id);
    expect(audit[0]?.after).not.toContain(used.id);
  });
});

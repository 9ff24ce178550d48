/** Contacts: who is on the list, what confirms an address, and that nobody can flood a stranger. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { newToken } from '../../base/random-token.ts';
import { DAY_MS } from '../../gateway/usage-history/counts.ts';
import { noticeKinds } from '../../notices/kinds.ts';
import { compileSchema } from '../../office/validator.ts';
import { createPartner } from '../partners/change-partner.ts';
import {
  confirmAgain,
  confirmContact,
  listContacts,
  NewContacts,
  putContacts,
  showContactOffer,
} from './contacts.ts';

const PARTNER = 'Ann (portal par_1)';

describeOnEachStore('contacts', (newDatabase) => {
  let rig: Rig;
  let partnerId: string;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    return () => rig.close();
  });
  beforeEach(async () => {
    rig.clock.advance(2 * DAY_MS);
    partnerId = await newPartner();
  });

  async function newPartner(): Promise<string> {
    const partner = { name: 'Ann', integration_started_on: '2025-11-01', is_new: false };
    return (await createPartner(rig.environment, 'test', partner)).id;
  }
  const put = (emails: string[], of = partnerId) =>
    putContacts(rig.environment, PARTNER, of, {
      contacts: emails.map((email) => ({ email, notices: noticeKinds })),
    });
  const mailsTo = async (recipient: string) =>
    rig.store.db.selectFrom('mail').selectAll().where('recipient', '=', recipient).execute();
  /** As the mailer does it. */
  async function linkFor(email: string): Promise<string> {
    const [mail] = (await rig.store.mails.due(rig.clock.now(), 100)).filter(
      (one) => one.recipient === email,
    );
    if (!mail) throw new Error(`nothing is due to ${email}`);
    const { token, digest } = newToken();
    await rig.store.mails.addLink(mail, { digest, expires_at: rig.clock.now() + DAY_MS });
    return token;
  }
  const audited = async () => {
    const rows = await rig.store.db
      .selectFrom('audit')
      .select('action')
      .where('subject', '=', partnerId)
      .where('action', 'like', 'contact%')
      .execute();
    return rows.map(({ action }) => action).sort();
  };

  test('are replaced as a whole, in lower case, each with the notices it wants', async () => {
    const first = await putContacts(rig.environment, PARTNER, partnerId, {
      contacts: [
        { email: 'Ann@Partner.example', notices: ['url_changed', 'key_rotated', 'key_rotated'] },
        { email: 'bob@partner.example', notices: [] },
      ],
    });
    expect(first.contacts).toMatchObject([
      {
        email: 'ann@partner.example',
        notices: ['key_rotated', 'url_changed'],
        confirmed_at: null,
      },
      { email: 'bob@partner.example', notices: [] },
    ]);
    await put(['bob@partner.example']);
    // Saving the same again changes nothing and asks nobody.
    await put(['BOB@partner.example']);
    const { contacts } = await listContacts(rig.environment, partnerId);
    expect(contacts).toMatchObject([{ email: 'bob@partner.example', notices: noticeKinds }]);
    expect(await mailsTo('bob@partner.example')).toHaveLength(1);
    expect(await audited()).toEqual(['contacts.update', 'contacts.update']);
    expect((await listContacts(rig.environment, await newPartner())).contacts).toEqual([]);
  });

  test('are refused if an address is there twice', async () => {
    const twice = put(['ann@partner.example', 'ANN@partner.example']);
    await expect(twice).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await listContacts(rig.environment, partnerId)).contacts).toEqual([]);
  });

  test('are confirmed by a link, once, and only while they are on the list', async () => {
    await put(['ann1@partner.example']);
    const token = await linkFor('ann1@partner.example');
    // A mail that was sent twice has two links, and both work.
    const second = await linkFor('ann1@partner.example');
    expect(await showContactOffer(rig.environment, token)).toMatchObject({ partner_name: 'Ann' });
    const { contacts: before } = await listContacts(rig.environment, partnerId);
    expect(before[0]?.confirmed_at).toBeNull();
    await Promise.allSettled([
      confirmContact(rig.environment, second, '192.0.2.1'),
      confirmContact(rig.environment, second, '192.0.2.1'),
    ]);
    const { contacts } = await listContacts(rig.environment, partnerId);
    expect(contacts[0]?.confirmed_at).toBe(new Date(rig.clock.now()).toISOString());
    expect(await audited()).toEqual(['contact.confirm', 'contacts.update']);
    const dead = { code: 'contact_link_invalid' };
    for (const used of [token, second, 'no token', newToken().token]) {
      await expect(confirmContact(rig.environment, used, '192.0.2.1')).rejects.toMatchObject(dead);
    }
    await put([]);
    await put(['ann1@partner.example']);
    const again = await linkFor('ann1@partner.example');
    await put([]);
    await expect(showContactOffer(rig.environment, again)).rejects.toMatchObject(dead);
    // Neither does a mail go out to somebody who was removed.
    expect(await rig.store.mails.due(rig.clock.now(), 100)).not.toContainEqual(
      expect.objectContaining({ recipient: 'ann1@partner.example' }),
    );
  });

  test('do not get a link that lasts for ever', async () => {
    await put(['ann2@partner.example']);
    const token = await linkFor('ann2@partner.example');
    rig.clock.advance(DAY_MS);
    const late = showContactOffer(rig.environment, token);
    await expect(late).rejects.toMatchObject({ code: 'contact_link_invalid' });
    await confirmAgain(rig.environment, PARTNER, partnerId, { email: 'Ann2@partner.example' });
    expect(await mailsTo('ann2@partner.example')).toHaveLength(2);
    const unknown = confirmAgain(rig.environment, PARTNER, partnerId, { email: 'x@y.example' });
    await expect(unknown).rejects.toMatchObject({ code: 'contact_not_found' });
  });

  test('a stranger is asked three times a day, whoever asks', async () => {
    const stranger = 'stranger@elsewhere.example';
    await put([stranger]);
    await put([]);
    await put([stranger]);
    const other = await newPartner();
    await put([stranger], other);
    const fourth = put(['new@partner.example', stranger], await newPartner());
    await expect(fourth).rejects.toMatchObject({
      code: 'too_many_confirmations',
      retryAfterMs: DAY_MS,
    });
    // All or nothing.
    expect(await mailsTo('new@partner.example')).toEqual([]);
    expect(await mailsTo(stranger)).toHaveLength(3);
    rig.clock.advance(DAY_MS);
    await confirmAgain(rig.environment, PARTNER, other, { email: stranger });
    expect(await mailsTo(stranger)).toHaveLength(4);
  });

  test('a partner asks twenty times a day, also with requests at the same moment', async () => {
    const ten = (from: number) =>
      Array.from({ length: 10 }, (_, i) =>
        `someone-${from + i}@${partnerId}.example`.replace('_', '-'),
      );
    const all = await Promise.allSettled([put(ten(0)), put(ten(10)), put(ten(20)), put(ten(30))]);
    expect(all.map(({ status }) => status).sort()).toEqual([
      ...['fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
    const mails = await rig.store.db
      .selectFrom('mail')
      .select('id')
      .where('partner_id', '=', partnerId)
      .execute();
    expect(mails).toHaveLength(20);
    expect((await listContacts(rig.environment, partnerId)).contacts).toHaveLength(10);
  });

  test('an address is asked three times a day, also by many partners at the same moment', async () => {
    const strangers = ['first', 'second'].map((name) => `${name}@stranger.example`);
    const partners = await Promise.all(Array.from({ length: 12 }, newPartner));
    // Each order, in which they could wait for each other.
    const all = await Promise.allSettled(
      partners.map((of, i) => put(i % 2 ? strangers : strangers.toReversed(), of)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const refused = all.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []));
    expect(refused).toEqual(Array(9).fill('too_many_confirmations'));
    for (const one of strangers) expect(await mailsTo(one)).toHaveLength(3);
  });
});

test('an address is one address and nothing else', () => {
  const validate = compileSchema(NewContacts);
  const isTaken = (email: string) => validate({ contacts: [{ email, notices: [] }] }) === true;
  for (const email of ['a@b.example', "o'neil+x.y_z@mail.b-c.example", 'a@xn--bcher-kva.example']) {
    expect([email, isTaken(email)]).toEqual([email, true]);
  }
  const wrong = [
    ...[
      '',
      'a',
      '@b.example',
      'a@',
      'a@b',
      'a@b.',
      'a@.b.example',
      'a..b@c.example',
      '.a@b.example',
    ],
    ...[
      'a@b.example\r\nBcc: c@d.example',
      'a@b.example\n',
      'a@b.example, c@d.example',
      'a b@c.example',
    ],
    ...['<a@b.example>', 'A <a@b.example>', '"a b"@c.example', 'a@[127.0.0.1]', 'ä@b.example'],
    ...['a@b_c.example', 'a@-b.example', `${'a'.repeat(250)}@b.example`, 'a@b.example\0', 'a@b.c'],
  ];
  for (const email of wrong) expect([email, isTaken(email)]).toEqual([email, false]);
  const eleven = Array.from({ length: 11 }, (_, i) => ({ email: `${i}@b.example`, notices: [] }));
  expect(validate({ contacts: eleven })).not.toBe(true);
});

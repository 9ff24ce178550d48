/** The queue of mails and a real mail server: whatever the server does, nothing is lost and everybody gets one. */
import { expect, test } from 'vitest';
import { describeOnEachStore, freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { eventually } from '../../testing/eventually.ts';
import { confirmed, mailerOf, mailWorld, partnerOf } from '../../testing/mail-rig.ts';
import { startMailServer } from '../../testing/mail-server.ts';
import { sampleOf } from '../../testing/prometheus.ts';
import { DAY_MS } from '../gateway/usage-history/counts.ts';
import { putContacts } from '../resources/notices/contacts.ts';
import { listNotices } from '../resources/notices/notices.ts';
import { noticeKinds } from './kinds.ts';
import { FIRST_WAIT_MS, GIVEN_UP_AFTER_MS, HELD_MS, LONGEST_WAIT_MS } from './mailer.ts';

const mailsOf = async (rig: Rig, partner_id: string) =>
  (await listNotices(rig.environment, { partner_id })).items.flatMap(({ mails }) => mails);

describeOnEachStore('mails', (newDatabase) => {
  test('go to each confirmed contact that wants them, once, over however many nodes', async () => {
    const { rig, server, partnerId, rotate, mailer } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, ['ann@partner.example', 'bob@partner.example']);
    await putContacts(rig.environment, 'Ann', partnerId, {
      contacts: [
        { email: 'ann@partner.example', notices: ['key_rotated'] },
        { email: 'bob@partner.example', notices: ['url_changed'] },
        { email: 'new@partner.example', notices: noticeKinds },
      ],
    });
    await rotate();
    const others = [mailerOf(rig, server), mailerOf(rig, server)];
    await Promise.all([mailer, ...others].map((one) => one.round()));
    await mailer.round();
    const sent = Object.fromEntries(server.received.map(({ to, text }) => [to.join(), text]));
    expect(server.received).toHaveLength(2);
    const told = sent['ann@partner.example'] as string;
    expect(told).toContain('From: Bellhop <noreply@bellhop.example>');
    expect(told).toContain('Subject: An API key was replaced (production)');
    expect(told).toMatch(/Message-ID: <mai_\w+@bellhop\.example>/);
    expect(told).toContain('Auto-Submitted: auto-generated');
    expect(told).toContain('https://portal.example/production/keys/');
    const asked = sent['new@partner.example'] as string;
    expect(asked).toMatch(/https:\/\/portal\.example\/confirm\/production\/[\w-]{43}\r\n/);
    // What is stored could not confirm it.
    const [, token] = /production\/([\w-]{43})/.exec(asked) as RegExpExecArray;
    const stored = await rig.store.db.selectFrom('contact_link').selectAll().execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(await mailsOf(rig, partnerId)).toMatchObject([
      { recipient: 'ann@partner.example', state: 'sent', tries: 1, error: null },
    ]);
    expect(sampleOf(rig.metrics, 'bellhop_mails_total')).toBe(2);
  });

  test('that somebody waits for go before notices, however long those have waited', async () => {
    const { rig, server, partnerId, rotate, mailer } = await mailWorld(newDatabase);
    const ann = { email: 'ann@partner.example', notices: noticeKinds };
    await confirmed(rig, partnerId, [ann.email]);
    await rotate();
    await rig.store.mails.queueNotices(rig.clock.now());
    rig.clock.advance(FIRST_WAIT_MS);
    const contacts = [ann, { ...ann, email: 'new@partner.example' }];
    await putContacts(rig.environment, 'Ann', partnerId, { contacts });
    await mailer.round();
    expect(server.received.map(({ to }) => to.join())).toEqual(['new@partner.example', ann.email]);
  });

  test('that a killed node held are sent by another', async () => {
    const { rig, server, partnerId, rotate, mailer } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, ['ann@partner.example']);
    await rotate();
    const { mails } = rig.store;
    await mails.queueNotices(rig.clock.now());
    const [held] = await mails.due(rig.clock.now(), 1);
    if (!held) throw new Error('nothing is due');
    expect(await mails.hold({ ...held }, rig.clock.now() + HELD_MS)).toBe(true);
    expect(await mails.hold({ ...held }, rig.clock.now() + HELD_MS)).toBe(false);
    rig.clock.advance(HELD_MS - 1);
    await mailer.round();
    expect(server.received).toEqual([]);
    rig.clock.advance(1);
    await mailer.round();
    expect(server.received).toHaveLength(1);
    // The killed one was only frozen, and comes back too late to say what became of it.
    await mails.failed(held, rig.clock.now(), 'late', false);
    expect(await mailsOf(rig, partnerId)).toMatchObject([{ state: 'sent', tries: 2 }]);
  });

  test('that the server refuses come again later, while others go on', async () => {
    const { rig, server, partnerId, rotate, mailer } = await mailWorld(newDatabase);
    await confirmed(rig, partnerId, ['ann@partner.example']);
    await rotate();
    for (const [tries, code] of [450, 550].entries()) {
      server.answer(code);
      await mailer.round();
      expect(await mailsOf(rig, partnerId)).toMatchObject([
        { state: 'waiting', tries: tries + 1, error: expect.stringContaining(String(code)) },
      ]);
      expect(mailer.trouble()).toBeUndefined();
      rig.clock.advance(FIRST_WAIT_MS * 2 ** tries - 1);
      await mailer.round();
      expect((await mailsOf(rig, partnerId))[0]?.tries).toBe(tries + 1);
      rig.clock.advance(1);
    }
    server.answer('take');
    const other = await partnerOf(rig);
    await confirmed(rig, other.partnerId, ['bob@partner.example']);
    await rig.store.db
      .updateTable('mail')
      .set({ due_at: rig.clock.now(), sent_at: null })
      .where('notice_id', 'is not', null)
      .execute();
    await other.rotate();
    await mailer.round();
    expect(server.received.map(({ to }) => to.join()).sort()).toEqual([
      'ann@partner.example',
      'bob@partner.example',
    ]);
  });
});

const embedded = () => mailWorld(freshFolder);

test('a server that hangs or drops a mail is left alone for a while, which is seen, and gets it again', async () => {
  const { rig, server, partnerId, rotate, mailer } = await embedded();
  await confirmed(rig, partnerId, ['ann@partner.example']);
  await rotate();
  for (const answer of ['hang', 'drop'] as const) {
    server.answer(answer);
    await mailer.round();
    expect(mailer.trouble()).toContain('The mail server does not take mails');
    // Others that are due wait as well.
    rig.clock.advance(1);
    await rotate();
    const { length } = server.received;
    await mailer.round();
    expect(server.received).toHaveLength(length);
    rig.clock.advance(10 * FIRST_WAIT_MS);
  }
  expect(await rig.store.mails.waiting()).toMatchObject({ count: 3 });
  server.answer('take');
  await mailer.round();
  expect(mailer.trouble()).toBeUndefined();
  // It may have read the mail before it dropped it, so that one came twice, under the same id.
  expect(server.received).toHaveLength(5);
  const ids = server.received.map(({ text }) => /Message-ID: (.*)\r/.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(3);
  expect(await rig.store.mails.waiting()).toEqual({ count: 0, oldestAtMs: null });
});

test('mails that wait are counted while others are sent', async () => {
  const rig = await Rig.open(await freshFolder());
  const { partnerId, rotate } = await partnerOf(rig);
  await confirmed(rig, partnerId, ['ann@partner.example', 'bob@partner.example']);
  await rotate();
  await rig.store.mails.queueNotices(rig.clock.now());
  const answered = Promise.withResolvers<void>();
  const server = await startMailServer({
    onMailFrom: (_address, _session, done) => void answered.promise.then(() => done()),
  });
  const mailer = mailerOf(rig, server, rig.clock);
  const waiting = async () => sampleOf(rig.metrics, 'bellhop_mails_waiting');
  rig.clock.advance(5_000);
  await eventually(waiting, (count) => count === 2);
  expect(sampleOf(rig.metrics, 'bellhop_mails_oldest_waiting_seconds')).toBe(5);
  answered.resolve();
  await mailer.round();
  // The server was still asked for an answer when they were counted.
  expect(server.received).toHaveLength(2);
  rig.clock.advance(5_000);
  await eventually(waiting, (count) => count === 0);
});

test('a server that refuses every mail is seen, too', async () => {
  const { rig, server, partnerId, rotate, mailer } = await embedded();
  await confirmed(rig, partnerId, ['a@p.example', 'b@p.example', 'c@p.example']);
  server.answer('quote');
  await rotate();
  await mailer.round();
  expect(mailer.trouble()).toContain('554');
  expect(await mailsOf(rig, partnerId)).toHaveLength(3);
});

test('a server that refuses recipients is in no trouble: a partner could have chosen them for that', async () => {
  const { rig, server, partnerId, rotate, mailer } = await embedded();
  await confirmed(rig, partnerId, ['a@p.example', 'b@p.example', 'c@p.example']);
  server.answer(550);
  await rotate();
  await mailer.round();
  expect(mailer.trouble()).toBeUndefined();
  const late = { state: 'waiting', tries: 1, error: expect.stringContaining('550') };
  expect(await mailsOf(rig, partnerId)).toMatchObject([late, late, late]);
  expect(await rig.store.mails.waiting()).toEqual({ count: 3, oldestAtMs: null });
  // Nor do they end the trouble that it is in.
  server.answer('drop');
  rig.clock.advance(FIRST_WAIT_MS);
  await mailer.round();
  server.answer(550);
  rig.clock.advance(10 * FIRST_WAIT_MS);
  await mailer.round();
  expect(mailer.trouble()).toContain('does not take mails');
});

test('a server that is away for three days loses a mail visibly, and not before', async () => {
  const { rig, server, partnerId, rotate, mailer } = await embedded();
  await confirmed(rig, partnerId, ['ann@partner.example']);
  await rotate();
  await server.close();
  let waitedMs = 0;
  for (; waitedMs < GIVEN_UP_AFTER_MS; waitedMs += LONGEST_WAIT_MS) {
    await mailer.round();
    expect(await mailsOf(rig, partnerId)).toMatchObject([{ state: 'waiting' }]);
    rig.clock.advance(LONGEST_WAIT_MS);
  }
  await mailer.round();
  expect(await mailsOf(rig, partnerId)).toMatchObject([
    { state: 'given_up', error: 'Given up after three days.' },
  ]);
});

test('notices from before there was a mail server are not mailed', async () => {
  const { rig, server, partnerId, rotate, mailer } = await embedded();
  await confirmed(rig, partnerId, ['ann@partner.example']);
  await rotate();
  rig.clock.advance(DAY_MS + 1);
  await rotate();
  await mailer.round();
  expect(server.received).toHaveLength(1);
});

test('a stop does not wait for a server that hangs', async () => {
  const { rig, server, partnerId, rotate } = await embedded();
  await confirmed(rig, partnerId, ['ann@partner.example']);
  await rotate();
  server.answer('hang');
  const mailer = mailerOf(rig, server);
  const round = mailer.round();
  await server.came(1);
  await mailer.stop();
  await round;
  expect(await mailsOf(rig, partnerId)).toMatchObject([{ state: 'waiting', tries: 1 }]);
});

/** A mailer whose rounds begin when a test says so, and a real mail server. */
import { onTestFinished } from 'vitest';
import type { Clock } from '../src/base/clock.ts';
import { smtpUrl } from '../src/base/config/smtp.ts';
import { type NoticeKind, noticeKinds } from '../src/notices/kinds.ts';
import { startMailer } from '../src/notices/mailer.ts';
import { rotateKey } from '../src/resources/keys/rotate-key.ts';
import { putContacts } from '../src/resources/notices/contacts.ts';
import { type NewDatabase, Rig } from './delivery-rig.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

const FROM = { name: 'Bellhop', address: 'noreply@bellhop.example' };
const LIMITS = { silentMs: 2_000, connectMs: 5_000, sendMs: 5_000 };

/** Somebody's server and ours, one partner, and a mailer between them. */
export async function mailWorld(newDatabase: NewDatabase) {
  const rig = await Rig.open(await newDatabase());
  const server = await startMailServer();
  return { rig, server, ...(await partnerOf(rig)), mailer: mailerOf(rig, server) };
}

export async function partnerOf(rig: Rig) {
  const { partnerId, keyId } = await rig.midoffice('http://127.0.0.1:9/hook');
  return {
    partnerId,
    rotate: () => rotateKey(rig.environment, 'Ann', keyId, { overlap_seconds: 0 }),
  };
}

/** Rounds begin when a test says so, unless it gives a clock. */
export function mailerOf(
  rig: Rig,
  { port }: Pick<MailServer, 'port'>,
  clock: Clock = { ...clockOf(rig), after: () => ({ cancel() {} }) },
) {
  const letterhead = () => ({
    environment: 'production' as const,
    from: FROM,
    portalName: 'Example Travel',
    portalUrl: 'https://portal.example',
  });
  const mailer = startMailer({
    environment: 'production',
    queue: rig.store.mails,
    server: smtpUrl(`smtp://127.0.0.1:${port}`),
    letterhead,
    clock,
    log: rig.log,
    metrics: rig.metrics,
    limits: LIMITS,
  });
  onTestFinished(() => mailer.stop());
  return mailer;
}

function clockOf({ clock }: Rig) {
  return { now: () => clock.now(), monotonic: () => clock.monotonic() };
}

/** Contacts that have confirmed their addresses. Nothing is left to be mailed. */
export async function confirmed(
  rig: Rig,
  partnerId: string,
  emails: string[],
  kinds?: NoticeKind[],
) {
  const contacts = emails.map((email) => ({ email, notices: kinds ?? noticeKinds }));
  await putContacts(rig.environment, 'Ann', partnerId, { contacts });
  const now = rig.clock.now();
  await rig.store.db
    .updateTable('contact')
    .set({ confirmed_at: now })
    .where('partner_id', '=', partnerId)
    .execute();
  await rig.store.db.updateTable('mail').set({ due_at: null, sent_at: now }).execute();
}

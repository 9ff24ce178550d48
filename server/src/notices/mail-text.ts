/** A notice, or the question whether an address is right, as a mail: plain text, few headers. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { EnvironmentName } from '../config/settings.ts';
import type { MailSender } from '../config/smtp.ts';
import { inWords } from './kinds.ts';
import type { DueMail } from './mail-queue.ts';

export interface Letterhead {
  environment: EnvironmentName;
  from: MailSender;
  /** What the operator calls its portal. */
  portalName: string;
  /** Where partners find it. */
  portalUrl: string;
}

/** Only of a mail that asks for a confirmation. */
export interface ConfirmationLink {
  token: string;
  days: number;
}

export async function composeMail(
  mail: DueMail,
  letterhead: Letterhead,
  link?: ConfirmationLink,
): Promise<Buffer> {
  const { from, portalName } = letterhead;
  const { subject, text } = mail.notice
    ? noticeText(mail, mail.notice, letterhead)
    : confirmationText(mail, letterhead, link as ConfirmationLink);
  const composer = new MailComposer({
    from,
    to: mail.recipient,
    subject,
    text: `${text}\n\n-- \n${portalName}\n`,
    // The same at each try, so that mail programs can tell that two are one.
    messageId: `<${mail.id}@${from.address.split('@')[1]}>`,
    date: new Date(mail.notice?.at ?? mail.created_at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function noticeText(
  { partner_name }: DueMail,
  notice: NonNullable<DueMail['notice']>,
  { environment, portalUrl }: Letterhead,
) {
  const { subject, text, page } = inWords(notice);
  return {
    subject: `${subject} (${environment})`,
    text: [
      text,
      `Look here: ${portalUrl}/${environment}/${page}`,
      `This is about ${partner_name}, ${environment}. Who gets such mails is set in the portal: ${portalUrl}/${environment}/contacts`,
    ].join('\n\n'),
  };
}

function confirmationText(
  { partner_name }: DueMail,
  { environment, portalName, portalUrl }: Letterhead,
  { token, days }: ConfirmationLink,
) {
  return {
    subject: 'Confirm your address',
    text: [
      `${partner_name} wants to send notices about its webhooks and keys (${environment}) to this address. If that is right, open this page within ${days} days and press the button there:`,
      `${portalUrl}/confirm/${environment}/${token}`,
      `If you do not know what this is, ignore it: you get no further mail from ${portalName}.`,
    ].join('\n\n'),
  };
}

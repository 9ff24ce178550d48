/** A notice, a link to the portal, or the question whether an address is right, as a mail: plain text, few headers. */
import { minuteInUtc } from '@bellhop/rules/minute-in-utc';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { MailSender } from '../base/config/smtp.ts';
import { withoutHiddenMarks } from '../base/hidden-marks.ts';
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

/** Of every mail but a notice. */
export interface LinkToken {
  token: string;
  /** How long it confirms an address. */
  days: number;
}

export async function composeMail(
  mail: DueMail,
  letterhead: Letterhead,
  link?: LinkToken,
): Promise<Buffer> {
  const { from, portalName } = letterhead;
  const { subject, text } = textOf(mail, letterhead, link as LinkToken);
  const composer = new MailComposer({
    from,
    to: mail.recipient,
    // Names from before they were refused may have some.
    subject: withoutHiddenMarks(subject),
    text: withoutHiddenMarks(`${text}\n\n-- \n${portalName}\n`),
    // The same at each try, so that mail programs can tell that two are one.
    messageId: `<${mail.id}@${from.address.split('@')[1]}>`,
    date: new Date(mail.notice?.at ?? mail.created_at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

function textOf(mail: DueMail, letterhead: Letterhead, link: LinkToken) {
  if (mail.notice) return noticeText(mail, mail.notice, letterhead);
  if (mail.portal_link) return portalLinkText(mail, mail.portal_link, letterhead, link);
  return confirmationText(mail, letterhead, link);
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

function portalLinkText(
  { partner_name }: DueMail,
  { expires_at }: NonNullable<DueMail['portal_link']>,
  { environment, portalUrl }: Letterhead,
  { token }: LinkToken,
) {
  return {
    subject: `Your link to the portal (${environment})`,
    text: [
      `API support made a link for you, with which you sign in to the portal of ${partner_name} (${environment}). Open it and press the button there:`,
      `${portalUrl}/enter/${environment}/${token}`,
      `It works once, until ${minuteInUtc(expires_at)}. Anyone who has it can use it, so do not pass this mail on. If you did not expect it, tell API support.`,
    ].join('\n\n'),
  };
}

function confirmationText(
  { partner_name }: DueMail,
  { environment, portalName, portalUrl }: Letterhead,
  { token, days }: LinkToken,
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

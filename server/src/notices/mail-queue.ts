/**
 * What sending needs of the store. A mail is a row of its own for each recipient. A node that sends it holds it for as
 * long as `HELD_MS`: if the node is killed, another takes it then. So a mail may arrive twice, and never not at all.
 */
import type { StoredNotice } from './kinds.ts';

export interface DueMail {
  id: string;
  partner_id: string;
  partner_name: string;
  recipient: string;
  created_at: number;
  due_at: number;
  tries: number;
  notice: Pick<StoredNotice, 'kind' | 'facts' | 'at'> | null;
  /** Of a mail with which support lets its recipient into the portal. */
  portal_link: { id: string; expires_at: number } | null;
  // With neither, the mail asks its recipient to confirm the address.
}

export interface MailQueue {
  /** Puts mails into the queue for new notices, one for each confirmed contact that wants them. */
  queueNotices(nowMs: number): Promise<void>;
  /** The mails that are due first. Those with a link, which somebody waits for, come before notices. */
  due(nowMs: number, limit: number): Promise<DueMail[]>;
  /** False if another node holds it, or if it is over. Afterwards `mail.due_at` is when it is lost. */
  hold(mail: DueMail, untilMs: number): Promise<boolean>;
  /** Stores another token of the portal link that is mailed. False if nobody could use the link any more. */
  addPortalToken(linkId: string, digest: string): Promise<boolean>;
  /** Stores a link that confirms the recipient's address. */
  addLink(mail: DueMail, link: { digest: string; expires_at: number }): Promise<void>;
  /** Of a mail that is held. */
  sent(mail: DueMail, nowMs: number): Promise<void>;
  /** Of a mail that is held. Without a time, it is given up. */
  failed(
    mail: DueMail,
    nextMs: number | null,
    error: string,
    isRecipientRefused: boolean,
  ): Promise<void>;
  /** How many are not over, and when the oldest of them was written whose recipient is not the reason. */
  waiting(): Promise<{ count: number; oldestAtMs: number | null }>;
}

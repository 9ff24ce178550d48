/**
 * Every notice that a partner gets: when it is due, what makes it the same one, which page of the portal helps, and its
 * words. A notice is stored under its cause, so that several nodes that see the same thing store it once.
 *
 * Subjects hold no text from outside, and no text holds a secret or more of an order than its id. A receiver's URL may
 * hold a secret, so only its host is named.
 */
import { minuteInUtc } from '@bellhop/rules/minute-in-utc';
import { newId } from '../base/ids.ts';
import { DAY_MS, HOUR_MS } from '../gateway/usage-history/counts.ts';

export const MINUTE_MS = 60_000;

/** What each kind is about. Stored as JSON; times are milliseconds since 1970. */
export interface NoticeFacts {
  receiver_failing: { midoffice_id: string; host: string; failing_since: number };
  receiver_recovered: { midoffice_id: string; host: string; failing_since: number };
  deliveries_exhausted: { delivery_id: string; partner_order_id: string };
  limit_reached: { key_id: string; endpoint: string; percent: 80 | 100 };
  key_expires: { key_id: string; expires_at: number; days: 14 | 3 };
  key_rotated: { key_id: string; by: 'partner' | 'support' };
  /** `host` is null if webhooks go nowhere any more. */
  url_changed: { midoffice_id: string; host: string | null; by: 'partner' | 'support' };
  signed_in_by_link: { session_id: string; address: string };
  limit_answered: { request_id: string; key_id: string; endpoint: string; granted: boolean };
}

export type NoticeKind = keyof NoticeFacts;

interface NoticeRule<Facts> {
  /** When it is due and how often, for people who choose their notices. */
  when: string;
  /** Two notices of a partner with the same kind and cause are one. */
  cause(facts: Facts, atMs: number): string;
  /** The page of the portal, after the environment. */
  page(facts: Facts): string;
  subject(facts: Facts): string;
  text(facts: Facts): string;
}

/** How long a receiver fails before its partner is told. */
export const TELL_FAILING_AFTER_MS = 15 * MINUTE_MS;
/** No second notice about exhausted deliveries within this time. */
export const EXHAUSTED_EVERY_MS = HOUR_MS;
/** Shares of a limit. Each is told, also if both are reached at once. */
const LIMIT_PERCENTS = [80, 100] as const;
/** Days before a key expires, the fewest first: if both have come at once, only those are told. */
export const EXPIRY_DAYS = [3, 14] as const;

export const noticeRules: { [Kind in NoticeKind]: NoticeRule<NoticeFacts[Kind]> } = {
  receiver_failing: {
    when: 'Your receiver has accepted no webhook for 15 minutes. Once each time.',
    cause: ({ midoffice_id, failing_since }) => `${midoffice_id} ${failing_since}`,
    page: () => 'receiver',
    subject: () => 'Your receiver does not accept webhooks',
    text: ({ host, failing_since }) =>
      `Every webhook to ${host} has failed since ${minuteInUtc(failing_since)}. They are sent again for about a week. The portal shows how your receiver answers.`,
  },
  receiver_recovered: {
    when: 'Your receiver accepts webhooks again after such a failure. Once each time.',
    cause: ({ midoffice_id, failing_since }) => `${midoffice_id} ${failing_since}`,
    page: () => 'webhooks',
    subject: () => 'Your receiver accepts webhooks again',
    text: ({ host, failing_since }) =>
      `Webhooks, which had failed since ${minuteInUtc(failing_since)}, arrive again at ${host}. Those that wait are sent again in their turn; in the portal you can send them now.`,
  },
  deliveries_exhausted: {
    when: 'A webhook was given up after its last attempt. At most once an hour.',
    cause: (_, atMs) => String(startOf(HOUR_MS, atMs)),
    page: () => 'webhooks?state=exhausted',
    subject: () => 'Webhooks were given up',
    text: ({ partner_order_id }) =>
      `All attempts to deliver a webhook for order ${oneLine(partner_order_id)} have failed, and there may be others. Nothing is lost: once your receiver works, you can send them all again in the portal.`,
  },
  limit_reached: {
    when: 'A key has used 80 % or 100 % of a limit. At most once a day each, for each key and endpoint.',
    cause: ({ key_id, endpoint, percent }, atMs) =>
      `${key_id} ${endpoint} ${percent} ${startOf(DAY_MS, atMs)}`,
    page: ({ key_id }) => `limits?key=${key_id}`,
    subject: ({ percent }) =>
      percent === 100 ? 'A limit is used up' : `${percent} % of a limit is used`,
    text: ({ key_id, endpoint, percent }) =>
      percent === 100
        ? `Key ${key_id} has used up its limit of ${endpoint}. Further calls are refused until earlier ones leave the window. Spread your calls, or ask API support for a higher limit.`
        : `Key ${key_id} has used ${percent} % of its limit of ${endpoint}. Beyond the limit, calls are refused.`,
  },
  key_expires: {
    when: 'A key expires in 14 days, and in 3 days.',
    cause: ({ key_id, expires_at, days }) => `${key_id} ${expires_at} ${days}`,
    page: ({ key_id }) => `keys/${key_id}`,
    subject: ({ days }) => `A key expires in less than ${days} days`,
    text: ({ key_id, expires_at }) =>
      `Key ${key_id} expires on ${minuteInUtc(expires_at)}. From then on, all its calls are refused. Ask API support to extend it, or for another key.`,
  },
  key_rotated: {
    when: 'The API key of a key was replaced. Each time.',
    cause: ({ key_id }, atMs) => `${key_id} ${atMs}`,
    page: ({ key_id }) => `keys/${key_id}`,
    subject: () => 'An API key was replaced',
    text: ({ key_id, by }) =>
      `${who(by)} replaced the API key of key ${key_id}. The portal shows until when the earlier one works. If you did not expect this, ask API support at once.`,
  },
  url_changed: {
    when: 'Your webhooks go to another URL, or no longer to any. Each time.',
    cause: ({ midoffice_id }, atMs) => `${midoffice_id} ${atMs}`,
    page: () => 'receiver',
    subject: ({ host }) =>
      host === null ? 'Your webhooks have no URL any more' : 'Your webhooks go to another URL',
    text: ({ host, by }) =>
      host === null
        ? `${who(by)} removed your receiver. New webhooks are kept, and not sent until you have another one. If you did not expect this, ask API support at once.`
        : `${who(by)} changed the URL of your receiver. Webhooks now go to ${host}. If you did not expect this, ask API support at once.`,
  },
  signed_in_by_link: {
    when: 'Somebody used a link from API support to sign in here. Each time.',
    cause: ({ session_id }) => session_id,
    page: () => 'activity',
    subject: () => 'Somebody signed in to the portal with a link',
    text: ({ address }) =>
      `Somebody used a link from API support to sign in for you, from ${address}. If it was none of your people, ask API support to end the session.`,
  },
  limit_answered: {
    when: 'API support has answered your request for another limit. Each time.',
    cause: ({ request_id }) => request_id,
    page: ({ key_id }) => `limits?key=${key_id}`,
    subject: ({ granted }) =>
      granted
        ? 'The limit that you asked for was granted'
        : 'The limit that you asked for was refused',
    text: ({ key_id, endpoint, granted }) =>
      `API support has ${granted ? 'granted' : 'refused'} the limit that you asked for, of key ${key_id} for ${endpoint}.${granted ? ' It counts from now on.' : ' The limit stays as it is.'} The portal has the answer.`,
  },
};

export const noticeKinds = Object.keys(noticeRules) as NoticeKind[];

export interface StoredNotice {
  id: string;
  partner_id: string;
  kind: NoticeKind;
  cause: string;
  at: number;
  /** JSON. */
  facts: string;
}

export function newNotice<Kind extends NoticeKind>(
  partnerId: string,
  kind: Kind,
  facts: NoticeFacts[Kind],
  atMs: number,
): StoredNotice {
  const cause = noticeRules[kind].cause(facts, atMs);
  const id = newId('ntc', atMs);
  return { id, partner_id: partnerId, kind, cause, at: atMs, facts: JSON.stringify(facts) };
}

export interface NoticeInWords {
  subject: string;
  text: string;
  page: string;
}

export function inWords({ kind, facts }: Pick<StoredNotice, 'kind' | 'facts'>): NoticeInWords {
  // The facts are those of the kind: `newNotice` wrote them.
  const { subject, text, page } = noticeRules[kind] as NoticeRule<unknown>;
  const about: unknown = JSON.parse(facts);
  return { subject: subject(about), text: text(about), page: page(about) };
}

/** The shares of a limit to tell about. */
export function percentsReached(peakShare: number | null, refused: number): (80 | 100)[] {
  const share = refused > 0 ? 1 : (peakShare ?? 0);
  return LIMIT_PERCENTS.filter((percent) => share * 100 >= percent);
}

function startOf(stepMs: number, atMs: number): number {
  return atMs - (atMs % stepMs);
}

function who(by: 'partner' | 'support'): string {
  return by === 'partner' ? 'Somebody of yours, in the portal,' : 'API support';
}

const LONGEST_ID = 100;

/** An order id may have any characters, and must not look like another line of the mail. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ');
  const chars = [...line];
  return chars.length > LONGEST_ID ? `${chars.slice(0, LONGEST_ID).join('')}…` : line;
}

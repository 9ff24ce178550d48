/**
 * Sends what is in the queue of mails. Nothing waits for it, and whatever the mail server does, nothing is lost:
 *
 *     notice ─→ a mail for each contact ─→ due → held → sent │ failed: due again later │ given up after three days
 *
 * A mail server that does not answer is left alone for a while, at most five minutes. A mail that it refuses is tried
 * again later, while others go on. Only a server that refuses mails in a row for another reason than their recipients
 * is in trouble.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs, type Clock, repeat } from '../base/clock.ts';
import type { SmtpServer } from '../base/config/smtp.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { newToken } from '../base/random-token.ts';
import { DAY_MS, HOUR_MS } from '../gateway/usage-history/counts.ts';
import { MINUTE_MS } from './kinds.ts';
import { startMailGauges } from './mail-gauges.ts';
import type { DueMail, MailQueue } from './mail-queue.ts';
import type { Letterhead, LinkToken } from './mail-text.ts';
import type { SmtpLimits, SmtpSession } from './smtp.ts';

/** People wait at their screen for the mail with a link. */
const EVERY_MS = 1_000;
const MAILS_AT_ONCE = 20;
/** Longer than a mail can take with its connection. An older one belongs to a node that was killed. */
export const HELD_MS = 2 * MINUTE_MS;
/** The wait after the first failure of a mail; it doubles up to the longest. */
export const FIRST_WAIT_MS = MINUTE_MS;
export const LONGEST_WAIT_MS = 4 * HOUR_MS;
export const GIVEN_UP_AFTER_MS = 3 * DAY_MS;
export const LINK_LIFE_DAYS = 7;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** So many mails in a row that the server has refused, whoever their recipients are, are its own trouble. */
const REFUSED_IN_A_ROW = 3;
const LONGEST_ERROR = 300;
/** A stop does not wait longer for a mail. Another node, or the next start, sends it again. */
const STOP_WAIT_MS = 3_000;

export interface Mailer {
  /** One round now; the timer calls it too. */
  round(): Promise<void>;
  /** A sentence while the mail server does not take mails. */
  trouble(): string | undefined;
  /** Gives the mail that is being sent a moment to end. */
  stop(): Promise<void>;
}

export function startMailer(parts: {
  queue: MailQueue;
  server: SmtpServer;
  letterhead(): Letterhead;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  environment: Letterhead['environment'];
  limits?: SmtpLimits;
}): Mailer {
  const { queue, server, letterhead, environment, clock, log, metrics } = parts;
  const counter = (outcome: string) =>
    metrics.counter('bellhop_mails_total', 'Tries to send a mail, by outcome.', {
      environment,
      outcome,
    });
  const outcomes = {
    sent: counter('sent'),
    failed: counter('failed'),
    given_up: counter('given_up'),
  };
  const gauges = startMailGauges(parts);
  let trouble: string | undefined;
  let refusedInARow = 0;
  let pauses = 0;
  let pausedUntilMs = 0;
  let isStopped = false;
  let session: SmtpSession | undefined;
  let running: Promise<void> = Promise.resolve();

  /** False if the server should be left alone for a while. */
  async function deliver(mail: DueMail): Promise<boolean> {
    const nowMs = clock.now();
    if (!(await queue.hold(mail, nowMs + HELD_MS))) return true;
    const useless = whyUseless(mail, nowMs);
    if (useless !== undefined) return giveUp(mail, useless);
    let isSent: boolean;
    try {
      isSent = await send(mail);
    } catch (error) {
      return postpone(mail, error);
    }
    if (!isSent) return giveUp(mail, LINK_OVER);
    outcomes.sent.add();
    await queue.sent(mail, clock.now());
    if (trouble !== undefined) log.info({}, 'the mail server takes mails again');
    trouble = undefined;
    refusedInARow = 0;
    pauses = 0;
    return true;
  }

  async function giveUp(mail: DueMail, why: string): Promise<true> {
    outcomes.given_up.add();
    await queue.failed(mail, null, why, false);
    return true;
  }

  /** False if its link is over: that is looked at last, when a server that is slow has had its time. */
  async function send(mail: DueMail): Promise<boolean> {
    // Loaded with the first mail: most processes send none.
    const { composeMail } = await import('./mail-text.ts');
    const { openSmtpSession, smtpLimits } = await import('./smtp.ts');
    const head = letterhead();
    session ??= await openSmtpSession(server, parts.limits ?? smtpLimits);
    const link = mail.notice ? undefined : await linkFor(mail);
    if (link === 'over') return false;
    const message = await composeMail(mail, head, link);
    await session.send({ from: head.from.address, to: mail.recipient }, message);
    return true;
  }

  /** Made only now, so that nothing that is stored could confirm an address or open the portal. */
  async function linkFor(mail: DueMail): Promise<LinkToken | 'over'> {
    const { token, digest } = newToken();
    if (mail.portal_link) {
      if (!(await queue.addPortalToken(mail.portal_link.id, digest))) return 'over';
    } else {
      await queue.addLink(mail, { digest, expires_at: clock.now() + LINK_LIFE_DAYS * DAY_MS });
    }
    return { token, days: LINK_LIFE_DAYS };
  }

  async function postpone(mail: DueMail, error: unknown): Promise<boolean> {
    const { refusedBy } = await import('./smtp.ts');
    session = undefined;
    outcomes.failed.add();
    const why = mail.notice ? oneLine(error) : oneLine(error, TOKEN_LIKE);
    const waitMs = backOffMs(mail.tries, FIRST_WAIT_MS, LONGEST_WAIT_MS);
    const refused = refusedBy(error);
    await queue.failed(mail, clock.now() + waitMs, why, refused === 'recipient');
    log.warn({ mail: mail.id, tries: mail.tries, error: why }, 'a mail was not sent; trying again');
    // Partners choose their contacts, so that they could make the server look bad.
    if (refused === 'recipient') return true;
    if (refused === 'mail' && ++refusedInARow < REFUSED_IN_A_ROW) return true;
    trouble = `The mail server does not take mails (${why}). They wait, and are sent again for three days.`;
    if (refused === 'mail') return true;
    pausedUntilMs = clock.now() + backOffMs(++pauses, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    return false;
  }

  async function sendDue(): Promise<void> {
    let goesOn = clock.now() >= pausedUntilMs;
    while (goesOn && !isStopped) {
      const mails = await queue.due(clock.now(), MAILS_AT_ONCE);
      if (mails.length === 0) break;
      for (const mail of mails) {
        goesOn &&= !isStopped && (await deliver(mail));
      }
    }
    session?.close();
    session = undefined;
  }

  async function oneRound(): Promise<void> {
    try {
      await queue.queueNotices(clock.now());
      await sendDue();
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'mails could not be looked after; trying again');
    }
  }

  /** One at a time. */
  function round(): Promise<void> {
    running = running.then(() => (isStopped ? undefined : oneRound()));
    return running;
  }

  const timer = repeat(clock, EVERY_MS, round);
  return {
    round,
    trouble: () => trouble,
    async stop() {
      isStopped = true;
      timer.cancel();
      gauges.stop();
      const waited = new AbortController();
      const { signal } = waited;
      await Promise.race([running, sleep(STOP_WAIT_MS, undefined, { signal }).catch(() => {})]);
      waited.abort();
    },
  };
}

const LINK_OVER = 'The link was used or withdrawn, or the partner was suspended, before this try.';
const LINK_EXPIRED = 'The link expired before the mail could be sent.';

/** Why it makes no sense to send it, if it does not. */
function whyUseless({ created_at, portal_link }: DueMail, nowMs: number): string | undefined {
  if (portal_link && portal_link.expires_at <= nowMs) return LINK_EXPIRED;
  return created_at <= nowMs - GIVEN_UP_AFTER_MS ? 'Given up after three days.' : undefined;
}

/** A server may repeat a link that it does not like, or a part of it, and what it says is stored, logged and shown. */
const TOKEN_LIKE = /[\w-]{16,}/g;

/** What a server says may have any characters. */
function oneLine(error: unknown, leftOut?: RegExp): string {
  const text = error instanceof Error ? error.message : String(error);
  return (leftOut ? text.replace(leftOut, '…') : text)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ERROR);
}

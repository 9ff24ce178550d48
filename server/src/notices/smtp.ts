/**
 * One connection to the mail server. Nodemailer speaks SMTP; this bounds it: each step has a deadline, after which the
 * connection is destroyed, so a server that hangs, or answers a byte at a time, holds nothing for longer.
 */
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from '../base/addresses/addresses.ts';
import type { SmtpServer } from '../base/config/smtp.ts';

export const smtpLimits = {
  /** Without an answer to one command … */
  silentMs: 10_000,
  /** … for connecting and signing in, and for one mail, as a whole. */
  connectMs: 20_000,
  sendMs: 30_000,
};
export type SmtpLimits = typeof smtpLimits;
/** A reply of the server has a few lines. */
const LARGEST_REPLY_BYTES = 65_536;

export interface Envelope {
  from: string;
  to: string;
}

export interface SmtpSession {
  send(envelope: Envelope, message: Buffer): Promise<void>;
  close(): void;
}

/**
 * What the server has refused: the recipient, which says nothing about other mails, or the sender or the mail itself,
 * and then it may well take others. Undefined if it has not answered, or closes.
 */
export function refusedBy(error: unknown): 'recipient' | 'mail' | undefined {
  const { responseCode, code, command } = error as {
    responseCode?: number;
    code?: string;
    command?: string;
  };
  if (responseCode === undefined || responseCode === 421) return undefined;
  if (code === 'EENVELOPE') return command === 'RCPT TO' ? 'recipient' : 'mail';
  return code === 'EMESSAGE' ? 'mail' : undefined;
}

export async function openSmtpSession(
  server: SmtpServer,
  { silentMs, connectMs, sendMs }: SmtpLimits,
): Promise<SmtpSession> {
  const { host, port, isTls, user, password } = server;
  const connection = new SMTPConnection({
    host,
    port,
    secure: isTls,
    // A password never goes over the network in the clear.
    requireTLS: user !== undefined && !isTls && !isLoopback(host),
    connectionTimeout: silentMs,
    greetingTimeout: silentMs,
    socketTimeout: silentMs,
    dnsTimeout: silentMs,
    maxResponseSize: LARGEST_REPLY_BYTES,
    allowInternalNetworkInterfaces: true,
  });
  let lost: (error: Error) => void = () => {};
  connection.on('error', (error: Error) => lost(error));
  connection.on('end', () => lost(new Error('The mail server closed the connection.')));

  /** Nodemailer reports some losses to its callback, and others only as an event. */
  async function within<T>(
    ms: number,
    step: (done: (error?: Error | null, result?: T) => void) => void,
  ): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        lost = reject;
        timer = setTimeout(() => reject(new Error(`No end after ${ms / 1_000} seconds.`)), ms);
        step((error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      clearTimeout(timer);
      lost = () => {};
    }
  }

  await within(connectMs, (done) =>
    connection.connect((error) => {
      if (error || user === undefined) done(error);
      else connection.login({ user, pass: password ?? '' }, done);
    }),
  );
  return {
    send: (envelope, message) =>
      within(sendMs, (done) => connection.send({ ...envelope }, message, done)),
    close: () => connection.quit(),
  };
}

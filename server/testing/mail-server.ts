/** A real mail server, which does with the next mails what a test wants. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { Condition } from './condition.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came, with quoted-printable line ends joined. */
  text: string;
}

/** `drop`, `hang` and `quote`, which refuses its link, come after the mail itself. Numbers are replies to RCPT. */
export type MailAnswer = 'take' | 'hang' | 'drop' | 'quote' | number;

export interface MailServer {
  port: number;
  /** Those that it has taken, or dropped after their end. */
  readonly received: ReceivedMail[];
  /** How many it was sent to the end, taken or not. */
  came(count: number): Promise<void>;
  answer(answer: MailAnswer): void;
  readonly connections: number;
  close(): Promise<void>;
}

export async function startMailServer(
  options: SMTPServerOptions = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const arrived = new Condition();
  let answer: MailAnswer = 'take';
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    closeTimeout: 100,
    ...options,
    onRcptTo(_address, _session, done) {
      if (typeof answer !== 'number') return done();
      done(Object.assign(new Error('not this one'), { responseCode: answer }));
    },
    onData(stream, session, done) {
      void buffer(stream).then((message) => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: message.toString().replaceAll('=\r\n', '').replaceAll('=3D', '='),
        });
        arrived.look();
        if (answer === 'take') done();
        if (answer === 'quote') {
          const [link] = /https:\S+/.exec(message.toString()) ?? [];
          done(Object.assign(new Error(`we do not like ${link}`), { responseCode: 554 }));
        }
        // Without a reply, so that the sender cannot know.
        if (answer === 'drop') for (const one of server.connections) one.close();
      });
    },
  });
  // Whoever hangs up is not our trouble.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  atEnd(close);
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    came: (count) => arrived.until(() => received.length >= count),
    answer(next) {
      answer = next;
    },
    get connections() {
      return server.connections.size;
    },
    close,
  };
}

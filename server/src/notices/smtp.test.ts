/** The client of the mail server, against a real one and against some that misbehave. */

import { createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { issueCertificate } from '../../testing/certificates.ts';
import { startMailServer } from '../../testing/mail-server.ts';
import { smtpUrl } from '../base/config/smtp.ts';
import { openSmtpSession, refusedBy } from './smtp.ts';

const LIMITS = { silentMs: 5_000, connectMs: 10_000, sendMs: 10_000 };
/** For servers that never come to an end. */
const SHORT = { silentMs: 300, connectMs: 600, sendMs: 600 };
const ENVELOPE = { from: 'noreply@bellhop.example', to: 'ann@partner.example' };
const MESSAGE = Buffer.from('Subject: hello\r\n\r\nThis is it.\r\n');
const PLAIN = 'smtp://127.0.0.1';

async function send(port: number, scheme = PLAIN, limits = LIMITS): Promise<void> {
  const session = await openSmtpSession(smtpUrl(`${scheme}:${port}`), limits);
  try {
    await session.send(ENVELOPE, MESSAGE);
  } finally {
    session.close();
  }
}

function trusting(authority: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, authority]);
  onTestFinished(() => setDefaultCACertificates(before));
}

/** Says what a test wants, and nothing else. */
async function oddServer(talk: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  return (await listening(server)).port;
}

test('hands a mail to the server, several over one connection', async () => {
  const server = await startMailServer();
  const session = await openSmtpSession(smtpUrl(`${PLAIN}:${server.port}`), LIMITS);
  await session.send(ENVELOPE, MESSAGE);
  await session.send(ENVELOPE, MESSAGE);
  expect(server.connections).toBe(1);
  session.close();
  expect(server.received).toHaveLength(2);
  expect(server.received[0]).toMatchObject({
    from: ENVELOPE.from,
    to: [ENVELOPE.to],
    text: expect.stringContaining('This is it.'),
  });
});

describe('over TLS', () => {
  const authority = issueCertificate({ name: 'Authority', isAuthority: true });
  const { cert, key } = issueCertificate({
    name: 'mail',
    addresses: ['127.0.0.1'],
    issuer: authority,
  });

  test('with smtps:// from the first byte, and with smtp:// as soon as it is offered', async () => {
    trusting(authority.cert);
    const secure: boolean[] = [];
    const onSecure = (_: unknown, session: { secure: boolean }, done: () => void) => {
      secure.push(session.secure);
      done();
    };
    const options = { cert, key, onMailFrom: onSecure };
    const implicit = await startMailServer({ ...options, secure: true });
    await send(implicit.port, 'smtps://127.0.0.1');
    const offered = await startMailServer(options);
    await send(offered.port);
    expect([implicit.received.length, offered.received.length]).toEqual([1, 1]);
    expect(secure).toEqual([true, true]);
  });

  test('not with a server whose certificate nobody trusts', async () => {
    const server = await startMailServer({ cert, key, secure: true });
    await expect(send(server.port, 'smtps://127.0.0.1')).rejects.toThrow(/certificate/);
    expect(server.received).toEqual([]);
  });
});

describe('with a user', () => {
  const onAuth: SMTPServerOptions['onAuth'] = ({ username, password }, _session, done) =>
    username === 'us er' && password === 'p@ss'
      ? done(null, { user: username })
      : done(new Error('no'));

  test('signs in, and says so if it is refused', async () => {
    const options = { onAuth, authOptional: false, allowInsecureAuth: true };
    const server = await startMailServer(options);
    await send(server.port, 'smtp://us%20er:p%40ss@127.0.0.1');
    expect(server.received).toHaveLength(1);
    const refused = send(server.port, 'smtp://us%20er:wrong@127.0.0.1');
    await expect(refused).rejects.toThrow(/^(?!.*wrong).*535/);
  });

  test('sends no password over a network in the clear', async () => {
    let said = '';
    const port = await oddServer((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (data) => {
        said += data;
        socket.write(/^EHLO/i.test(String(data)) ? '250-here\r\n250 AUTH PLAIN\r\n' : '502 no\r\n');
      });
    });
    // Not 127.0.0.1 by its name, as if it were another machine.
    const server = { ...smtpUrl(`smtp://user:secret@127.0.0.1:${port}`), host: '0.0.0.0' };
    await expect(openSmtpSession(server, LIMITS)).rejects.toThrow();
    expect(said).toContain('STARTTLS');
    expect(said).not.toContain('AUTH');
  });
});

describe('a mail that fails', () => {
  test.each([450, 550])('with %i is the trouble of that mail', async (code) => {
    const server = await startMailServer();
    server.answer(code);
    const error = await send(server.port).catch((thrown) => thrown);
    expect(error.message).toContain(String(code));
    expect(refusedBy(error)).toBe('recipient');
  });

  test.each(['hang', 'drop'] as const)(
    'because the server %ss after it is that of the server',
    async (how) => {
      const server = await startMailServer();
      server.answer(how);
      const error = await send(server.port, PLAIN, SHORT).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(refusedBy(error)).toBeUndefined();
      expect(server.received).toHaveLength(1);
    },
  );

  test('because nobody listens, or because nobody speaks, or speaks without end', async () => {
    await expect(send(9)).rejects.toThrow(/ECONNREFUSED/);
    await expect(send(await oddServer(() => {}), PLAIN, SHORT)).rejects.toThrow();
    const slowly = await oddServer((socket) => {
      const timer = setInterval(() => socket.write('220-still here\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(send(slowly, PLAIN, SHORT)).rejects.toThrow();
    const flood = await oddServer((socket) => socket.write(`220 ${'x'.repeat(100_000)}`));
    await expect(send(flood, PLAIN, SHORT)).rejects.toThrow();
  });
});

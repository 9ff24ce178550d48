/** Receivers that ask for a certificate: whose they see, on which connections, also through a proxy. */
import { createServer } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { issueCertificate } from '../../testing/certificates.ts';
import { startConnectProxy } from '../../testing/connect-proxy.ts';
import { listen, poster } from '../../testing/posting.ts';
import type { ClientIdentity } from './client-certificate.ts';

const authority = issueCertificate({ name: 'Authority', isAuthority: true });

function identityOf(name: string): ClientIdentity {
  const { cert, key } = issueCertificate({ name, issuer: authority });
  return { id: name, certificate: cert, private_key: key };
}

/** Answers with the name on the certificate, and with a number for each connection. */
async function startReceiver(maxVersion: 'TLSv1.2' | 'TLSv1.3') {
  const { cert, key } = issueCertificate({
    name: 'receiver',
    addresses: ['127.0.0.1'],
    issuer: authority,
  });
  const options = { cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  const server = createServer({ ...options, maxVersion }, ({ socket }, response) => {
    const tls = socket as TLSSocket;
    if (!numbers.has(tls)) numbers.set(tls, ++connections);
    const name = tls.getPeerX509Certificate()?.subject ?? 'nobody';
    response.end(`${name} on ${numbers.get(tls)}`);
  });
  return `https://127.0.0.1:${await listen(server)}/hook`;
}

const [one, two] = [identityOf('one'), identityOf('two')];

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a client certificate, %s', (version) => {
  test.each([
    ['directly', false],
    ['through a proxy', true],
  ])('is shown on connections of its own, %s', async (_, isProxied) => {
    const url = await startReceiver(version);
    const proxy = isProxied ? await startConnectProxy() : undefined;
    const { post } = poster({
      ca: [authority.cert],
      proxy: proxy && { host: proxy.host, port: proxy.port, authorization: undefined },
    });
    const seen = async (identity?: ClientIdentity) => {
      const outcome = await post(url, {}, '{}', { identity: identity });
      // A connection is free one turn after its reply.
      await nextTurn();
      return outcome.kind === 'answered' ? outcome.replyExcerpt : outcome;
    };
    expect(await seen(one)).toBe('CN=one on 1');
    expect(await seen(two)).toBe('CN=two on 2');
    expect(await seen()).toBe('nobody on 3');
    expect([await seen(one), await seen(two), await seen()]).toEqual([
      'CN=one on 1',
      'CN=two on 2',
      'nobody on 3',
    ]);
  });

  test('is not taken from a session that another one began', async () => {
    const url = await startReceiver(version);
    const { post } = poster({ ca: [authority.cert] });
    const seen = (identity?: ClientIdentity) =>
      post(url, { connection: 'close' }, '{}', { identity: identity });
    for (const identity of [one, undefined, two, one, undefined]) {
      const name = identity ? `CN=${identity.id}` : 'nobody';
      expect(await seen(identity)).toMatchObject({
        replyExcerpt: expect.stringMatching(`^${name} on`),
      });
    }
  });
});

/**
 * An OpenID Connect provider that does what a test asks for, wrong things included. What a provider does when all
 * is well is tested with a real one (real-oidc-provider.ts).
 */

import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../test/support.ts';

export const CLIENT_ID = 'bellhop';
export const CLIENT_SECRET = 'a-client-secret-0123456789';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  jwk: object;
}

export function newSigningKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, jwk };
}

export interface OddProvider {
  readonly issuer: string;
  /** Parts of the description, the ID token and the replies that differ from what is right. */
  description: object;
  claims: Record<string, unknown>;
  header: { alg: string };
  signWith: SigningKey;
  published: SigningKey[];
  userInfo: object | undefined;
  /** Added to the reply with tokens. */
  tokens: object;
  /** Answers in place of the provider, by path. */
  replies: Map<string, { status: number; body: string }>;
  /** Paths of all requests, in order. */
  readonly requests: string[];
  /** The last token request. */
  tokenRequest: { authorization: string | undefined; body: URLSearchParams } | undefined;
}

export async function startOddProvider(nonce: () => string): Promise<OddProvider> {
  const key = newSigningKey('first');
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  const at = await listening(server);
  const issuer = at.url;
  const provider: OddProvider = {
    issuer,
    description: {},
    claims: {},
    header: { alg: 'RS256' },
    signWith: key,
    published: [key],
    userInfo: undefined,
    tokens: {},
    replies: new Map(),
    requests: [],
    tokenRequest: undefined,
  };

  async function answer(request: IncomingMessage) {
    const path = request.url ?? '';
    provider.requests.push(path);
    const body = await text(request);
    if (path === '/token') {
      const { authorization } = request.headers;
      provider.tokenRequest = { authorization, body: new URLSearchParams(body) };
    }
    return provider.replies.get(path) ?? { status: 200, body: JSON.stringify(replyAt(path)) };
  }

  function replyAt(path: string): object {
    if (path === '/.well-known/openid-configuration') return describe();
    if (path === '/keys') return { keys: provider.published.map(({ jwk }) => jwk) };
    if (path === '/me') return provider.userInfo ?? {};
    const tokens = { access_token: 'an-access-token', token_type: 'Bearer', id_token: idToken() };
    return { ...tokens, ...provider.tokens };
  }

  function describe(): object {
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...(provider.userInfo && { userinfo_endpoint: `${issuer}/me` }),
      ...provider.description,
    };
  }

  function idToken(): string {
    const nowS = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: CLIENT_ID,
      sub: 's1',
      iat: nowS,
      exp: nowS + 300,
      nonce: nonce(),
      ...provider.claims,
    };
    const { kid, privateKey } = provider.signWith;
    const { alg } = provider.header;
    const content = [{ alg, kid }, claims].map((part) => encoded(JSON.stringify(part))).join('.');
    return `${content}.${signed(content, alg, privateKey)}`;
  }

  return provider;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function signed(content: string, alg: string, key: KeyObject): string {
  if (alg === 'none') return '';
  if (alg === 'HS256')
    return createHmac('sha256', CLIENT_SECRET).update(content).digest('base64url');
  return createSign('RSA-SHA256').update(content).sign(key, 'base64url');
}

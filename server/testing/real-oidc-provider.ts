/**
 * A real OpenID Connect provider, on `localhost`: for a browser that is another site than 127.0.0.1, so cookies
 * behave as they do with a provider elsewhere. Its page asks for a user name and no password.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

export const REAL_CLIENT = { id: 'bellhop', secret: randomBytes(24).toString('base64url') };

export const CODE_LIFE_SECONDS = 60;

export interface RealProvider {
  readonly issuer: string;
  /** By user name. */
  readonly people: Map<string, { name: string; email: string; roles: string[] }>;
  givesRefreshTokens: boolean;
  /** Runs before a request for tokens is answered. */
  beforeTokens: () => Promise<void>;
  /** Answers nothing any more; `open` undoes it. */
  shut(): void;
  open(): Promise<void>;
}

export async function startRealProvider(
  redirectUri: string,
  atEnd: (close: () => void) => void,
): Promise<RealProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  let server = createServer();
  let port = 0;
  const listen = async () => {
    server = createServer((request, response) => answer(request, response));
    server.listen(port, 'localhost');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const shut = () => {
    server.close();
    server.closeAllConnections();
  };
  await listen();
  atEnd(shut);
  const issuer = `http://localhost:${port}`;
  const real: RealProvider = {
    issuer,
    people: new Map(),
    givesRefreshTokens: true,
    beforeTokens: async () => {},
    shut,
    open: listen,
  };
  const provider = createProvider(issuer, redirectUri, real);
  const answerOidc = provider.callback();
  answer = (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void answerInteraction(provider, request, response);
    } else if (request.url === '/token') {
      void real.beforeTokens().then(() => answerOidc(request, response));
    } else {
      answerOidc(request, response);
    }
  };
  return real;
}

function createProvider(issuer: string, redirectUri: string, real: RealProvider): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return new Provider(issuer, {
    clients: [
      {
        client_id: REAL_CLIENT.id,
        client_secret: REAL_CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        post_logout_redirect_uris: [new URL('/sign-in', redirectUri).href],
        response_types: ['code'],
      },
    ],
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name', 'roles'], email: ['email', 'email_verified'] },
    findAccount: (_context, id) =>
      real.people.has(id)
        ? {
            accountId: id,
            claims: async () => ({ sub: id, email_verified: true, ...real.people.get(id) }),
          }
        : undefined,
    // Everyone has consented before.
    async loadExistingGrant(context) {
      const { Grant } = context.oidc.provider;
      const clientId = context.oidc.client?.clientId as string;
      const grant = new Grant({ clientId, accountId: context.oidc.session?.accountId as string });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    issueRefreshToken: async () => real.givesRefreshTokens,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: async (context, form) => {
          context.body = pageOf(
            `${form}<button form="op.logoutForm" name="logout" value="yes">Log out</button>`,
          );
        },
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [randomBytes(24).toString('base64url')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] },
    ttl: {
      AuthorizationCode: CODE_LIFE_SECONDS,
      AccessToken: 60,
      Grant: 600,
      IdToken: 60,
      Interaction: 600,
      RefreshToken: 3_600,
      Session: 3_600,
    },
  });
}

const pageOf = (content: string) =>
  `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><h1>Provider</h1>${content}`;

const PAGE =
  pageOf(`<form method="post"><label>User <input name="user"></label><button>Log in</button>
<button name="cancel" value="1">Cancel</button></form>`);

async function answerInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const result = form.has('cancel')
    ? { error: 'access_denied' }
    : { login: { accountId: form.get('user') ?? '' } };
  await provider.interactionFinished(request, response, result, {
    mergeWithLastSubmission: false,
  });
}

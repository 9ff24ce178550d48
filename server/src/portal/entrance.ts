/**
 * What the portal shows before anyone is signed in: whose it is, its colour and logo, and how people can sign in. The
 * same reply says to which environments this browser is signed in, so that pages need not try each of them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Logo, Rgb } from '../base/config/brand.ts';
import type { PortalScope } from '../base/config/portal-scopes.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { type App, plain } from '../office/http-app.ts';
import { like } from '../resources/examples.ts';
import { Environment, reply, Type } from '../resources/forms.ts';
import { brandCss } from './brand-css.ts';
import { type GuardParts, sessionIn } from './guard.ts';

export interface Brand {
  name: string;
  logo?: Logo | undefined;
  color?: Rgb | undefined;
}

const Entrance = reply('Entrance', {
  name: like('Acme Booking', "The operator's name for its portal."),
  has_logo: Type.Boolean({ description: 'Whether there is an image at /brand/logo.' }),
  environments: Type.Array(
    reply('EntranceEnvironment', {
      name: Environment,
      is_signed_in: Type.Boolean({ description: 'Whether this browser is.' }),
      takes_keys: Type.Boolean({
        description:
          'Whether people can sign in with a key. If not, only with a link from support.',
      }),
    }),
  ),
});

interface EntranceParts extends GuardParts {
  brand: Brand;
  keyScopes: ReadonlyMap<EnvironmentName, readonly PortalScope[]>;
}

export function entranceRoutes(app: App, parts: EntranceParts): void {
  app.get(
    '/portal/v1/entrance',
    {
      schema: {
        tags: ['session'],
        operationId: 'getEntrance',
        summary: 'Show whose portal this is, and how to sign in',
        security: [],
        response: { 200: Entrance },
      },
    },
    async (request) => showEntrance(parts, request),
  );
  brandFiles(plain(app), parts.brand);
}

async function showEntrance(
  parts: EntranceParts,
  request: FastifyRequest,
): Promise<Static<typeof Entrance>> {
  const { brand, environments, keyScopes } = parts;
  const shown: Static<typeof Entrance>['environments'] = [];
  for (const environment of environments.values()) {
    shown.push({
      name: environment.name,
      is_signed_in: (await sessionIn(parts, environment, request)) !== undefined,
      takes_keys: (keyScopes.get(environment.name) ?? []).length > 0,
    });
  }
  return { name: brand.name, has_logo: brand.logo !== undefined, environments: shown };
}

/** Settings change only with a restart, and pages ask for these at each visit. */
const CACHED = { 'cache-control': 'public, max-age=300' };

function brandFiles(app: FastifyInstance, { logo, color }: Brand): void {
  const schema = { hide: true };
  const css = brandCss(color);
  app.get('/brand.css', { schema }, async (_request, reply) =>
    reply.headers(CACHED).type('text/css; charset=utf-8').send(css),
  );
  if (!logo) return;
  const sendLogo = async (_request: FastifyRequest, reply: FastifyReply) =>
    // As a document of its own, an SVG could hold scripts; the CSP of every reply forbids them.
    reply.headers(CACHED).type(logo.type).send(logo.content);
  app.get('/brand/logo', { schema }, sendLogo);
}

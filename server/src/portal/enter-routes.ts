/**
 * Where a link from support leads. Opening it changes nothing, because mail programs and scanners open links before
 * people do: the page has a button, and only that uses the link up. It needs no script.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../addresses/caller-address.ts';
import type { SecurityLog } from '../back-office/security-log.ts';
import { showOffer } from '../resources/portal/links.ts';
import { exchangeLink } from '../resources/portal/sessions.ts';
import { Problem } from '../resources/problem.ts';
import type { Brand } from './entrance.ts';
import { environmentOf, type GuardParts } from './guard.ts';
import { deadLinkPage, offerPage, STYLE } from './link-pages.ts';

const ADDRESS = '/enter/:environment/:token';

export function enterRoutes(
  app: FastifyInstance,
  parts: GuardParts & { securityLog: SecurityLog; brand: Brand },
): void {
  const { brand, environments, cookies, ownPages, securityLog, trustedProxies } = parts;
  const schema = { hide: true };
  const tokenOf = ({ params }: FastifyRequest) => (params as { token: string }).token;

  // What browsers send with a form; this one has no fields.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_, __, done) => done(null, {}),
  );

  app.get(ADDRESS, { schema }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    // Without a referrer, browsers say `Origin: null` when the button is pressed, and that cannot be told from another
    // site. This policy never sends the path, which holds the token.
    reply.header('referrer-policy', 'strict-origin');
    return showingDeadLinks(brand, reply, async () =>
      html(
        reply,
        offerPage(brand, environment.name, await showOffer(environment, tokenOf(request))),
      ),
    );
  });

  const onRequest = async (request: FastifyRequest) => ownPages.checkOrigin(request);
  app.post(ADDRESS, { schema, onRequest }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    return showingDeadLinks(brand, reply, async () => {
      const address = callerAddress(request.raw, trustedProxies);
      const { id, session } = await exchangeLink(environment, tokenOf(request), address);
      request.actor = session.opened_by;
      securityLog.signedIn(request);
      reply.header('set-cookie', cookies.write(request, environment.name, id));
      return reply.code(303).header('location', `/${environment.name}`).send();
    });
  });

  app.get('/enter.css', { schema }, async (_request, reply) => reply.type('text/css').send(STYLE));
}

/** To a person who opened a link, a problem is a page. */
async function showingDeadLinks(
  brand: Brand,
  reply: FastifyReply,
  show: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'portal_link_invalid')) throw error;
    return html(reply.code(error.status), deadLinkPage(brand));
  }
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

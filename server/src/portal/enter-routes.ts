/** The pages that links lead to: one from support, which signs in, and one in a mail, which confirms an address. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerAddress } from '../base/addresses/caller-address.ts';
import { SECRET_PARAMETER } from '../base/logging/logged-path.ts';
import type { SecurityLog } from '../office/security-log.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { confirmContact, showContactOffer } from '../resources/notices/contacts.ts';
import { showOffer } from '../resources/portal/links.ts';
import { exchangeLink } from '../resources/portal/sessions.ts';
import { Problem, type ProblemCode } from '../resources/problem.ts';
import type { Brand } from './entrance.ts';
import { environmentOf, type GuardParts } from './guard.ts';
import {
  confirmedPage,
  confirmPage,
  deadConfirmationPage,
  deadLinkPage,
  offerPage,
  STYLE,
} from './link-pages.ts';

interface EnterParts extends GuardParts {
  securityLog: SecurityLog;
  brand: Brand;
}

export function enterRoutes(app: FastifyInstance, parts: EnterParts): void {
  const schema = { hide: true };
  app.get('/enter.css', { schema }, async (_request, reply) => reply.type('text/css').send(STYLE));
  // As a part of its own: the API refuses forms, because it would not see their fields.
  app.register(async (pages) => {
    // What browsers send with a form; these have no fields.
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      (_, __, done) => done(null, {}),
    );
    addButtonPages(pages, parts);
  });
}

function addButtonPages(app: FastifyInstance, parts: EnterParts): void {
  const { brand, cookies, securityLog, trustedProxies } = parts;

  addButtonPage(app, parts, {
    under: 'enter',
    dead: { code: 'portal_link_invalid', page: deadLinkPage(brand) },
    show: async (environment, token) =>
      offerPage(brand, environment.name, await showOffer(environment, token)),
    async press(environment, token, request, reply) {
      const address = callerAddress(request.raw, trustedProxies);
      const { id, session } = await exchangeLink(environment, token, address);
      request.actor = session.opened_by;
      securityLog.signedIn(request);
      reply.header('set-cookie', cookies[environment.name].write(request, id));
      return reply.code(303).header('location', `/${environment.name}`).send();
    },
  });

  addButtonPage(app, parts, {
    under: 'confirm',
    dead: { code: 'contact_link_invalid', page: deadConfirmationPage(brand) },
    show: async (environment, token) =>
      confirmPage(brand, environment.name, await showContactOffer(environment, token)),
    async press(environment, token, request, reply) {
      const address = callerAddress(request.raw, trustedProxies);
      return html(reply, confirmedPage(brand, await confirmContact(environment, token, address)));
    },
  });
}

/**
 * Where a link leads that works once. Opening it changes nothing, because mail programs and scanners open links before
 * people do: the page has a button, and only that uses the link up. It needs no script.
 */
interface ButtonPage {
  /** The first part of its address; the environment and the secret of the link follow. */
  under: string;
  /** The page with the button. */
  show(environment: SupportEnvironment, token: string): Promise<string>;
  /** What the button does. */
  press(
    environment: SupportEnvironment,
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply>;
  /** The problem of a link that does not work any more, which is a page to people. */
  dead: { code: ProblemCode; page: string };
}

function addButtonPage(
  app: FastifyInstance,
  { environments, ownPages }: Pick<GuardParts, 'environments' | 'ownPages'>,
  { under, show, press, dead }: ButtonPage,
): void {
  const address = `/${under}/:environment/${SECRET_PARAMETER}`;
  const schema = { hide: true };
  const tokenOf = ({ params }: FastifyRequest) => (params as { token: string }).token;

  app.get(address, { schema }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    // Without a referrer, browsers say `Origin: null` when the button is pressed, and that cannot be told from another
    // site. This policy never sends the path, which holds the token.
    reply.header('referrer-policy', 'strict-origin');
    return unlessDead(reply, async () => html(reply, await show(environment, tokenOf(request))));
  });

  const onRequest = async (request: FastifyRequest) => ownPages.checkOrigin(request);
  app.post(address, { schema, onRequest }, async (request, reply) => {
    const environment = environmentOf(environments, request);
    return unlessDead(reply, () => press(environment, tokenOf(request), request, reply));
  });

  async function unlessDead(
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem && error.code === dead.code)) throw error;
      return html(reply.code(error.status), dead.page);
    }
  }
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

/** The pages that links lead to: one from support, which signs in, and one in a mail, which confirms an address. */
import type { FastifyInstance } from 'fastify';
import { callerAddress } from '../base/addresses/caller-address.ts';
import type { SecurityLog } from '../office/security-log.ts';
import { confirmContact, showContactOffer } from '../resources/notices/contacts.ts';
import { showOffer } from '../resources/portal/links.ts';
import { exchangeLink } from '../resources/portal/sessions.ts';
import { addButtonPage, html } from './button-page.ts';
import type { Brand } from './entrance.ts';
import type { GuardParts } from './guard.ts';
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

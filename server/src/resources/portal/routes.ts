import { pageOfSchema, pageQuery, query } from '../forms.ts';
import { route } from '../route.ts';
import {
  CreatedPortalLink,
  createLink,
  createPreview,
  NewPortalLink,
  PortalLinkWithUrl,
} from './create-link.ts';
import { endLink, listLinks, Portal, PortalLink } from './links.ts';
import { endSession, endSessions, listSessions, PortalSession } from './sessions.ts';

const LINKS = 'partners/:id/portal-links';
const SESSIONS = 'partners/:id/portal-sessions';
const problems = ['partner_not_found'] as const;

/** What support does about the portal of a partner. */
export const portalAccessRoutes = [
  route(
    'getPortal',
    'GET portal',
    'Show where partners find the portal',
    { may: 'read', reply: Portal },
    ({ environment: { hasPortal, portalUrl } }) => ({ url: hasPortal ? portalUrl() : null }),
  ),
  route(
    'createPortalLink',
    `POST ${LINKS}`,
    'Make a link with which somebody at a partner signs in to the portal, once',
    {
      may: 'change',
      body: NewPortalLink,
      reply: CreatedPortalLink,
      status: 201,
      problems: [
        ...problems,
        'partner_suspended',
        'portal_not_served',
        'mail_not_sent',
        'too_many_mailed_links',
      ],
      more: 'With `recipient` it is mailed to a confirmed contact of the partner, and not in the reply. Opening the link changes nothing until the person presses a button there, because programs that check links open them too.',
    },
    ({ environment, actor, params, body }) => createLink(environment, actor, params.id, body),
  ),
  route(
    'listPortalLinks',
    `GET ${LINKS}`,
    "List a partner's links to the portal, newest first",
    {
      may: 'read',
      query: query(pageQuery),
      reply: pageOfSchema(PortalLink),
      problems,
      more: 'Links are listed until 30 days after they have expired.',
    },
    ({ environment, params, query }) => listLinks(environment, params.id, query),
  ),
  route(
    'endPortalLink',
    `DELETE ${LINKS}/:link_id`,
    'Withdraw a link that was not used',
    { may: 'change', problems: [...problems, 'portal_link_not_found', 'portal_link_used'] },
    ({ environment, actor, params }) => endLink(environment, actor, params.id, params.link_id),
  ),
  route(
    'createPortalPreview',
    'POST partners/:id/portal-preview',
    'Make a link that shows the portal to you as the partner sees it',
    {
      may: 'change',
      reply: PortalLinkWithUrl,
      status: 201,
      problems: [...problems, 'partner_suspended', 'portal_not_served'],
      more: 'The session is read-only, and marked on every page. The link works once, for 5 minutes.',
    },
    ({ environment, actor, params }) => createPreview(environment, actor, params.id),
  ),
  route(
    'listPortalSessions',
    `GET ${SESSIONS}`,
    "List a partner's open sessions of the portal, newest first",
    { may: 'read', query: query(pageQuery), reply: pageOfSchema(PortalSession), problems },
    ({ environment, params, query }) => listSessions(environment, params.id, query),
  ),
  route(
    'endPortalSessions',
    `DELETE ${SESSIONS}`,
    "End all of a partner's sessions of the portal",
    { may: 'change', problems },
    ({ environment, actor, params }) => endSessions(environment, actor, params.id),
  ),
  route(
    'endPortalSession',
    `DELETE ${SESSIONS}/:session_id`,
    'End a session of the portal',
    { may: 'change', problems: [...problems, 'portal_session_not_found'] },
    ({ environment, actor, params }) =>
      endSession(environment, actor, params.id, params.session_id),
  ),
];

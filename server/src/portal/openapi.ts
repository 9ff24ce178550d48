/** What the document of the portal says besides its operations. */

import type { EnvironmentName } from '../base/config/settings.ts';
import { VERSION } from '../base/version.ts';
import { cookieName, portalSession } from '../office/cookies.ts';
import type { About } from '../office/openapi/document.ts';

/** A client sends the one cookie that it has, of the environment in the address. */
export const anySession: Record<string, string[]>[] = [
  { production: [] },
  { sandbox: [] },
  { productionOverHttps: [] },
  { sandboxOverHttps: [] },
];

function session(environment: EnvironmentName, isOverHttps: boolean) {
  const where = isOverHttps ? 'where the portal is served over https' : 'over plain http';
  return {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName(portalSession(environment), isOverHttps),
    description: `The session for ${environment}, ${where}. A change that a browser sends from a page of another site, according to \`Sec-Fetch-Site\` or \`Origin\`, is refused.`,
  };
}

export const aboutPortal: About = {
  frame: {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop partner portal',
      version: VERSION,
      description:
        'For people who work for a partner. A session belongs to one partner in one environment; everything here is about that partner.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: [
      { name: 'session', description: 'Signing in and out, and who is signed in.' },
      { name: 'keys', description: 'Your keys, their limits and how they were used.' },
      { name: 'midoffice', description: 'Where your webhooks go.' },
      { name: 'deliveries', description: 'The webhooks of your orders, attempt by attempt.' },
      { name: 'contacts', description: 'Who gets notices, and what they said.' },
      { name: 'activity', description: 'What was done, by whom, and when.' },
    ],
    components: {
      securitySchemes: {
        production: session('production', false),
        sandbox: session('sandbox', false),
        productionOverHttps: session('production', true),
        sandboxOverHttps: session('sandbox', true),
      },
    },
    security: anySession,
  },
  guards: {
    scheme: 'production',
    signedIn: ['unauthenticated', 'scope_required'],
    changes: ['csrf', 'read_only_session'],
  },
  hasCsv: false,
};

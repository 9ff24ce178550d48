/** What the document of the back office says besides its operations. */
import { VERSION } from '../../base/version.ts';
import type { About } from './document.ts';
import { webhookPathItems, webhooks } from './webhook.ts';

export const backOfficeFrame = {
  openapi: '3.1.0',
  info: {
    title: 'Bellhop back office',
    version: VERSION,
    description: 'For the API support team, the booking core and operators.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The server that this document comes from.' }],
  tags: [
    { name: 'orders', description: 'Order events in, from the booking core.' },
    { name: 'partners', description: 'The companies that use the partner API.' },
    {
      name: 'portal',
      description: "Who at a partner may use the partners' portal.",
    },
    { name: 'keys', description: "Partners' keys to the partner API." },
    {
      name: 'grants',
      description: 'What a key may call, how often, and how much of it is used.',
    },
    { name: 'usage', description: 'How keys were used, by hour and by day.' },
    { name: 'midoffices', description: "Partners' receivers of order webhooks." },
    { name: 'deliveries', description: 'Webhooks out, attempt by attempt.' },
    { name: 'notes', description: 'What people wrote about a record, for their colleagues.' },
    { name: 'import', description: 'Import from another system, and export.' },
    { name: 'audit', description: 'Who changed what, and when.' },
    { name: 'tokens', description: 'Tokens of the back office itself.' },
    { name: 'people', description: 'People who have signed in through OpenID Connect.' },
    { name: 'console', description: "What the console's own pages need." },
    { name: 'webhook', description: 'What a midoffice receives.' },
  ],
  components: {
    pathItems: webhookPathItems as object,
    securitySchemes: {
      token: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'A token that an admin made.',
      },
      session: {
        type: 'apiKey' as const,
        in: 'cookie' as const,
        name: 'bellhop_session',
        description:
          "The console's; over TLS its name is `__Host-bellhop_session`. Every request but GET must then carry `X-Bellhop-Console: 1` as well, and `Sec-Fetch-Site` and `Origin` must show that it comes from the console's own pages.",
      },
    },
  },
  security: [{ token: [] }, { session: [] }] as Record<string, string[]>[],
  webhooks: webhooks as Record<string, object>,
};

export const aboutBackOffice: About = {
  frame: backOfficeFrame,
  guards: {
    scheme: 'token',
    signedIn: ['unauthenticated', 'forbidden'],
    session: ['reauthentication_required'],
    changes: ['csrf'],
  },
  hasCsv: true,
};

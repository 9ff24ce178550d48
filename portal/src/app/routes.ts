/**
 * The portal's addresses, with their parameters. Pages import their own route from here; which page a route shows is in
 * pages.ts, so that this file needs none of them.
 */
import { createRootRoute, createRoute } from '@tanstack/react-router';
import { textParams } from '../../../console/src/app/search-params.ts';

export const limitParams = ['key'] as const;
export const refusalFilters = ['code', 'key_id', 'endpoint', 'span', 'since', 'until'] as const;
export const webhookFilters = [
  'state',
  'type',
  'partner_order_id',
  'span',
  'since',
  'until',
] as const;

export const rootRoute = createRootRoute();
export const startRoute = createRoute({ getParentRoute: () => rootRoute, path: '/' });
export const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$environment',
  // Switching the environment discards all state of its pages.
  remountDeps: ({ params }) => params.environment,
});
export const homeRoute = createRoute({ getParentRoute: () => environmentRoute, path: '/' });
export const limitsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/limits',
  validateSearch: textParams(limitParams),
});
export const refusalsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/refused-calls',
  validateSearch: textParams(refusalFilters),
});
export const webhooksRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/webhooks',
  validateSearch: textParams(webhookFilters),
});
export const webhookRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/webhooks/$id',
  remountDeps: ({ params }) => params.id,
});
export const caseRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/cases/$id',
  remountDeps: ({ params }) => params.id,
});
export const receiverRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/receiver',
});
export const keysRoute = createRoute({ getParentRoute: () => environmentRoute, path: '/keys' });
export const keyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/keys/$id',
  remountDeps: ({ params }) => params.id,
});
export const contactsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/contacts',
});
export const activityRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/activity',
});
export const nowhereRoute = createRoute({ getParentRoute: () => environmentRoute, path: '/$' });

export const routeTree = rootRoute.addChildren([
  startRoute,
  environmentRoute.addChildren([
    homeRoute,
    limitsRoute,
    refusalsRoute,
    webhooksRoute,
    webhookRoute,
    caseRoute,
    receiverRoute,
    keysRoute,
    keyRoute,
    contactsRoute,
    activityRoute,
    nowhereRoute,
  ]),
]);

/**
 * The console's addresses, with their parameters. Pages import their own route from here; which page
 * a route shows is in pages.ts, so that this file needs none of them.
 */
import { createRootRoute, createRoute } from '@tanstack/react-router';
import { textParams } from './search-params.ts';

export const overviewParams = ['span'] as const;
export const deliveryFilters = [
  'state',
  'only',
  'type',
  'partner_order_id',
  'partner_order_id_prefix',
  'failure_code',
  'status_class',
  'midoffice_id',
  'partner_id',
  'span',
  'since',
  'until',
] as const;
export const partnerFilters = ['name', 'only', 'midoffice_id'] as const;
export const partnerParams = ['tab'] as const;
export const keyFilters = ['partner_id', 'only'] as const;
export const callFilters = [
  'request_id',
  'key_id',
  'partner_id',
  'code',
  'endpoint',
  'address',
  'span',
  'since',
  'until',
] as const;
export const midofficeFilters = ['name', 'only'] as const;
export const noticeFilters = ['partner_id', 'kind', 'mail'] as const;
export const limitRequestFilters = ['state', 'partner_id'] as const;
export const auditFilters = ['subject', 'actor', 'action', 'span', 'since', 'until'] as const;
/** In the address, but not a filter: sorting hides nothing. */
export const sortParams = ['sort'] as const;
export const signInParams = ['refused'] as const;

export const rootRoute = createRootRoute();

/** Where single sign-on leads if it fails. Otherwise people sign in at the address that they want to see. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: textParams(signInParams),
});

/** Everything else is for people who are signed in. */
export const signedInRoute = createRoute({ getParentRoute: () => rootRoute, id: 'signed-in' });

export const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/' });

export const environmentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$environment',
  // Switching the environment discards all state of its pages.
  remountDeps: ({ params }) => params.environment,
});

export const overviewRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/',
  validateSearch: textParams(overviewParams),
});
export const deliveriesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/deliveries',
  validateSearch: textParams(deliveryFilters),
});
export const deliveryRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/deliveries/$id',
  remountDeps: ({ params }) => params.id,
});
export const caseRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/cases/$id',
  remountDeps: ({ params }) => params.id,
});
export const partnersRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/partners',
  validateSearch: textParams([...partnerFilters, ...sortParams]),
});
export const partnerRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/partners/$id',
  validateSearch: textParams(partnerParams),
  remountDeps: ({ params }) => params.id,
});
export const keysRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/keys',
  validateSearch: textParams([...keyFilters, ...sortParams]),
});
export const keyRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/keys/$id',
  remountDeps: ({ params }) => params.id,
});
export const callsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/calls',
  validateSearch: textParams(callFilters),
});
export const midofficesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/midoffices',
  validateSearch: textParams([...midofficeFilters, ...sortParams]),
});
export const midofficeRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/midoffices/$id',
  remountDeps: ({ params }) => params.id,
});
export const limitRequestsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/limit-requests',
  validateSearch: textParams(limitRequestFilters),
});
export const noticesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/notices',
  validateSearch: textParams(noticeFilters),
});
export const auditRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/audit',
  validateSearch: textParams([...auditFilters, ...sortParams]),
});
export const tokensRoute = createRoute({ getParentRoute: () => environmentRoute, path: '/tokens' });
export const nowhereRoute = createRoute({ getParentRoute: () => environmentRoute, path: '/$' });

export const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([
    startRoute,
    environmentRoute.addChildren([
      overviewRoute,
      deliveriesRoute,
      deliveryRoute,
      caseRoute,
      partnersRoute,
      partnerRoute,
      keysRoute,
      keyRoute,
      callsRoute,
      midofficesRoute,
      midofficeRoute,
      limitRequestsRoute,
      noticesRoute,
      auditRoute,
      tokensRoute,
      nowhereRoute,
    ]),
  ]),
]);

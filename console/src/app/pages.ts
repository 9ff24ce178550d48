/** Which page each route shows. */
import { App, GoToEnvironment, SignedIn, SignInAfterRefusal } from './App.tsx';
import { EnvironmentLayout } from './EnvironmentLayout.tsx';
import { page } from './lazy-pages.ts';
import * as routes from './routes.ts';

export function attachPages(): void {
  routes.rootRoute.update({ component: App });
  routes.signInRoute.update({ component: SignInAfterRefusal });
  routes.signedInRoute.update({ component: SignedIn });
  routes.startRoute.update({ component: GoToEnvironment });
  routes.environmentRoute.update({ component: EnvironmentLayout });

  routes.overviewRoute.update({
    component: page(() => import('../pages/overview/Overview.tsx')),
  });
  routes.deliveriesRoute.update({
    component: page(() => import('../pages/deliveries/Deliveries.tsx')),
  });
  routes.deliveryRoute.update({
    component: page(() => import('../pages/deliveries/Delivery.tsx')),
  });
  routes.caseRoute.update({ component: page(() => import('../pages/cases/Case.tsx')) });
  routes.partnersRoute.update({
    component: page(() => import('../pages/partners/Partners.tsx')),
  });
  routes.partnerRoute.update({
    component: page(() => import('../pages/partners/Partner.tsx')),
  });
  routes.keysRoute.update({
    component: page(() => import('../pages/keys/Keys.tsx')),
  });
  routes.keyRoute.update({ component: page(() => import('../pages/keys/Key.tsx')) });
  routes.callsRoute.update({ component: page(() => import('../pages/calls/Calls.tsx')) });
  routes.midofficesRoute.update({
    component: page(() => import('../pages/midoffices/Midoffices.tsx')),
  });
  routes.midofficeRoute.update({
    component: page(() => import('../pages/midoffices/Midoffice.tsx')),
  });
  routes.limitRequestsRoute.update({
    component: page(() => import('../pages/limit-requests/LimitRequests.tsx')),
  });
  routes.noticesRoute.update({
    component: page(() => import('../pages/notices/Notices.tsx')),
  });
  routes.auditRoute.update({
    component: page(() => import('../pages/audit/Audit.tsx')),
  });
  routes.tokensRoute.update({
    component: page(() => import('../pages/tokens/Tokens.tsx')),
  });
  routes.nowhereRoute.update({
    component: page(() => import('../pages/not-found/NotFound.tsx')),
  });
}

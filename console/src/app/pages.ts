/** Which page each route shows. A page is loaded when someone first goes to it. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { App, GoToFirstEnvironment, SignedIn, SignInAfterRefusal } from './App.tsx';
import { EnvironmentLayout } from './EnvironmentLayout.tsx';
import * as routes from './routes.ts';

export function attachPages(): void {
  routes.rootRoute.update({ component: App });
  routes.signInRoute.update({ component: SignInAfterRefusal });
  routes.signedInRoute.update({ component: SignedIn });
  routes.startRoute.update({ component: GoToFirstEnvironment });
  routes.environmentRoute.update({ component: EnvironmentLayout });

  const docs = lazyRouteComponent(() => import('../pages/docs/Docs.tsx'));
  routes.docsRoute.update({ component: docs });
  routes.belowDocsRoute.update({ component: docs });
  routes.overviewRoute.update({
    component: lazyRouteComponent(() => import('../pages/overview/Overview.tsx')),
  });
  routes.deliveriesRoute.update({
    component: lazyRouteComponent(() => import('../pages/deliveries/Deliveries.tsx')),
  });
  routes.deliveryRoute.update({
    component: lazyRouteComponent(() => import('../pages/deliveries/Delivery.tsx')),
  });
  routes.partnersRoute.update({
    component: lazyRouteComponent(() => import('../pages/partners/Partners.tsx')),
  });
  routes.partnerRoute.update({
    component: lazyRouteComponent(() => import('../pages/partners/Partner.tsx')),
  });
  routes.keysRoute.update({
    component: lazyRouteComponent(() => import('../pages/keys/Keys.tsx')),
  });
  routes.keyRoute.update({ component: lazyRouteComponent(() => import('../pages/keys/Key.tsx')) });
  routes.midofficesRoute.update({
    component: lazyRouteComponent(() => import('../pages/midoffices/Midoffices.tsx')),
  });
  routes.midofficeRoute.update({
    component: lazyRouteComponent(() => import('../pages/midoffices/Midoffice.tsx')),
  });
  routes.auditRoute.update({
    component: lazyRouteComponent(() => import('../pages/audit/Audit.tsx')),
  });
  routes.tokensRoute.update({
    component: lazyRouteComponent(() => import('../pages/tokens/Tokens.tsx')),
  });
  routes.nowhereRoute.update({
    component: lazyRouteComponent(() => import('../pages/not-found/NotFound.tsx')),
  });
}

/** Which page each route shows. */
import { page } from '../../../console/src/app/lazy-pages.ts';
import { App, Start } from './App.tsx';
import { EnvironmentLayout } from './EnvironmentLayout.tsx';
import * as routes from './routes.ts';

export function attachPages(): void {
  routes.rootRoute.update({ component: App });
  routes.startRoute.update({ component: Start });
  routes.environmentRoute.update({ component: EnvironmentLayout });
  routes.homeRoute.update({ component: page(() => import('../pages/home/Home.tsx')) });
  routes.limitsRoute.update({ component: page(() => import('../pages/limits/Limits.tsx')) });
  routes.refusalsRoute.update({ component: page(() => import('../pages/refusals/Refusals.tsx')) });
  routes.webhooksRoute.update({ component: page(() => import('../pages/webhooks/Webhooks.tsx')) });
  routes.webhookRoute.update({ component: page(() => import('../pages/webhooks/Webhook.tsx')) });
  routes.caseRoute.update({ component: page(() => import('../pages/cases/Case.tsx')) });
  routes.receiverRoute.update({ component: page(() => import('../pages/receiver/Receiver.tsx')) });
  routes.keysRoute.update({ component: page(() => import('../pages/keys/Keys.tsx')) });
  routes.keyRoute.update({ component: page(() => import('../pages/keys/Key.tsx')) });
  routes.contactsRoute.update({ component: page(() => import('../pages/contacts/Contacts.tsx')) });
  routes.activityRoute.update({ component: page(() => import('../pages/activity/Activity.tsx')) });
  routes.nowhereRoute.update({ component: page(() => import('../pages/not-found/NotFound.tsx')) });
}

/** Creates the router. Its type also checks links and parameters at compile time. */
import { createRouter } from '@tanstack/react-router';
import { PageFailed, PageLoading } from '../../../console/src/app/fallbacks.tsx';
import { parseSearch, stringifySearch } from '../../../console/src/app/search-params.ts';
import { routeTree } from './routes.ts';

export function createPortalRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    caseSensitive: true,
    // Loads the code of a page as soon as the pointer is over its link.
    defaultPreload: 'intent',
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageFailed,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>;
  }
}

/** Creates the router. Its type also checks links and parameters at compile time. */
import { createRouter } from '@tanstack/react-router';
import { PageFailed, PageLoading } from './fallbacks.tsx';
import { routeTree } from './routes.ts';
import { parseSearch, stringifySearch } from './search-params.ts';

export function createConsoleRouter() {
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
    router: ReturnType<typeof createConsoleRouter>;
  }
}

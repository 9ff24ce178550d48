/** The router as the types of links and parameters know it; main.tsx makes the one that runs. */
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
    // The next page's code is loaded while the pointer is still on its way to the click.
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

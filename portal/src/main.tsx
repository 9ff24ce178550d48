import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../../console/src/api/query-client.ts';
import { fetchPagesEarly } from '../../console/src/app/lazy-pages.ts';
import { applyTheme, chosenTheme } from '../../console/src/app/theme.ts';
import { checkSessions } from './api/session.ts';
import { attachPages } from './app/pages.ts';
import { createPortalRouter } from './app/router.ts';
import '../../console/src/styles/tokens.css';
import '../../console/src/styles/base.css';
import './portal.css';

const client: QueryClient = createQueryClient(({ status }) => {
  // One of two sessions may have ended, so both are asked for again.
  if (status === 401) checkSessions(client);
  return true;
});

applyTheme(chosenTheme());
attachPages();
fetchPagesEarly();
createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={createPortalRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { isConfirmedSilently } from './api/session.ts';
import { fetchPagesEarly } from './app/lazy-pages.ts';
import { attachPages } from './app/pages.ts';
import { createConsoleRouter } from './app/router.ts';
import { applyTheme, chosenTheme } from './app/theme.ts';
import './styles/tokens.css';
import './styles/base.css';

applyTheme(chosenTheme());
attachPages();
fetchPagesEarly();
createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient(isConfirmedSilently)}>
      <RouterProvider router={createConsoleRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);

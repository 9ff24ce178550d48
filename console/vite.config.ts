/**
 * Builds the console to static files that the back office serves under a strict CSP: nothing inline,
 * nothing from elsewhere. In development the API calls go to a server on the default port.
 */
import { defineConfig } from 'vite';
import { buildOf } from './build.ts';
import { compressed } from './compressed.ts';

const backOffice = process.env.BELLHOP_CONSOLE_BACKEND ?? 'http://127.0.0.1:8090';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed()],
  build: buildOf(/console\/src\/(?:api|app|ui\/(?:lists|page|text))\//),
  server: {
    proxy: Object.fromEntries(
      // Keeps the browser's Host header, by which the back office recognises its own pages.
      ['/support', '/console', '/openapi', '/orders', '/health'].map((path) => [
        path,
        { target: backOffice },
      ]),
    ),
  },
});

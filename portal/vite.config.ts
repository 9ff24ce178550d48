/**
 * Builds the partners' portal to static files that its listener serves under a strict CSP: nothing inline, nothing from
 * elsewhere. It shares the console's ui/ and widgets/, and none of its calls, so a partner never loads support's code.
 * In development the API calls go to a server on the default port.
 */
import { defineConfig } from 'vite';
import { buildOf } from '../console/build.ts';
import { compressed } from '../console/compressed.ts';

const portal = process.env.BELLHOP_PORTAL_BACKEND ?? 'http://127.0.0.1:8085';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed()],
  build: buildOf(/(?:console|portal)\/src\/(?:api|app|ui\/(?:lists|page|text))\//),
  server: {
    // The snippets that partners copy are those of the guide.
    fs: { allow: ['..'] },
    proxy: Object.fromEntries(
      // Keeps the browser's Host header, by which the portal recognises its own pages.
      ['/portal', '/enter', '/brand', '/openapi.json', '/health'].map((path) => [
        path,
        { target: portal },
      ]),
    ),
  },
});

/**
 * Builds the console to static files that the back office serves under a strict CSP: nothing inline,
 * nothing from elsewhere. In development the API calls go to a server on the default port.
 */
import { defineConfig } from 'vite';

const backOffice = process.env.BELLHOP_CONSOLE_BACKEND ?? 'http://127.0.0.1:8090';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The polyfill is for browsers older than the target.
    modulePreload: { polyfill: false },
    // A data: URL would need an exception in the CSP.
    assetsInlineLimit: 0,
    rolldownOptions: {
      onLog(level, log, handle) {
        // The component library marks its modules for server components, which we do not use.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      // With the browser's own Host, by which the back office knows its own pages.
      ['/support', '/console', '/openapi', '/orders', '/health'].map((path) => [
        path,
        { target: backOffice },
      ]),
    ),
  },
});

/**
 * Builds the console to static files that the back office serves under a strict CSP: nothing inline,
 * nothing from elsewhere. In development the API calls go to a server on the default port.
 */
import { defineConfig } from 'vite';
import { compressed } from './compressed.ts';

const backOffice = process.env.BELLHOP_CONSOLE_BACKEND ?? 'http://127.0.0.1:8090';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The polyfill is for browsers older than the target.
    modulePreload: { polyfill: false },
    // A data: URL would need an exception in the CSP.
    assetsInlineLimit: 0,
    // All styles together are 8 kB compressed, so one request for all is faster than forty.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // Code that pages share goes into a few files, so that a release changes as few of them as possible.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\// },
            { name: 'tanstack', test: /node_modules\/@tanstack\// },
            { name: 'charts', test: /node_modules\/@visx\// },
            {
              name: 'shared',
              test: /console\/src\/(?:api|app|ui\/(?:lists|page|text))\//,
              minShareCount: 3,
            },
          ],
        },
      },
      onLog(level, log, handle) {
        // The component library marks its modules for server components, which we do not use.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
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

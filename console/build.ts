/** How the pages of the console and of the partners' portal are built. */
import type { BuildOptions } from 'vite';

/** `shared` matches the files that most pages use. */
export function buildOf(shared: RegExp): BuildOptions {
  return {
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
            { name: 'shared', test: shared, minShareCount: 3 },
          ],
        },
      },
      onLog(level, log, handle) {
        // The component library marks its modules for server components, which we do not use.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  };
}

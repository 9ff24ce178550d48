/** Builds one of the two sites; `BELLHOP_SITE` says which. `npm run build:docs` builds both. */
import { globSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { leadToPages } from '../links.ts';
import { menuOf, pagesOf, repository, type Site, slugOf } from '../pages.ts';
import { alignWithClasses, classesOfCode, finish, withoutInline } from '../strict-pages.ts';

const BASE = '/docs/';
const site = process.env.BELLHOP_SITE as Site;
const pages = pagesOf(site);
const attached = new Set<string>();
const ignored = ['**/node_modules/**', '**/dist/**'];
const notPages = globSync('**/*.md', { cwd: repository, exclude: ignored }).filter(
  (file) => !pages.has(file),
);

export default defineConfig({
  base: BASE,
  srcDir: '..',
  outDir: `dist/${site}`,
  cacheDir: `../node_modules/.cache/site-${site}`,
  srcExclude: [...ignored, ...notPages],
  // Otherwise every config.ts of the repository would be taken for one of VitePress.
  additionalConfig: false,
  rewrites: Object.fromEntries(pages),
  cleanUrls: true,
  // It would add an inline style, which the policy refuses.
  appearance: { disableTransition: false },
  metaChunk: true,
  lang: 'en',
  title: site === 'partners' ? 'Bellhop for partners' : 'Bellhop',
  description: 'The documentation of Bellhop.',
  head: [
    ['link', { rel: 'icon', href: `${BASE}bell.svg`, type: 'image/svg+xml' }],
    ['link', { rel: 'stylesheet', href: `${BASE}assets/code.css` }],
  ],
  markdown: {
    anchor: { slugify: slugOf },
    codeTransformers: [classesOfCode],
    config(markdown) {
      leadToPages(markdown, pages, (file) => attached.add(file));
      alignWithClasses(markdown);
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // Whoever looks for "429" wants the error, not a measurement.
        _render: async (source, env, markdown) => {
          const html = await markdown.renderAsync(source, env);
          const isMeasured = /\/docs\/scale\//.test(env.path ?? '');
          return isMeasured ? html.replace(/<table[\s\S]*?<\/table>/g, '') : html;
        },
      },
    },
    outline: [2, 3],
    sidebar: menuOf(site).map((group) => ({ ...group, collapsed: site === 'all' })),
    nav: [
      { text: 'API reference', link: '/api/', target: '_self' },
      // The listener that serves the site has these pages at its root, outside of the base.
      { text: site === 'partners' ? 'Portal' : 'Console', link: '/../', target: '_self' },
    ],
  },
  vite: { logLevel: 'warn', build: { assetsInlineLimit: 0 } },
  transformHtml: withoutInline,
  buildEnd: ({ outDir }) => finish(outDir, attached),
});

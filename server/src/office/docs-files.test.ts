import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { serveBuiltFiles } from './built-files.ts';
import { loadDocsFiles } from './page-files.ts';

const SITE = {
  'index.html': 'home',
  '404.html': 'not found',
  'limits.html': 'limits',
  'operating/index.html': 'operating',
  'api/index.html': 'reference',
  'assets/app.DrpU3-Li.js': 'script',
  'assets/limits.md.BGho2jxw.lean.js': 'lean',
  'assets/code.css': 'styles',
};

async function served(site: Record<string, string>, sandboxUrl?: string) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(site)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const app = Fastify();
  const sendDocsFile = loadDocsFiles(serveBuiltFiles(app, { docs: folder }).docs, sandboxUrl);
  app.setNotFoundHandler((request, reply) => {
    if (!sendDocsFile(request, reply)) reply.code(418).send('not the documentation');
  });
  await app.ready();
  onTestFinished(() => app.close());
  return (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => app.inject({ url, method });
}

describe('the documentation', () => {
  test.each([
    ['/docs/', 200, 'home'],
    ['/docs/limits', 200, 'limits'],
    ['/docs/limits?from=mail', 200, 'limits'],
    ['/docs/limits.html', 200, 'limits'],
    ['/docs/operating/', 200, 'operating'],
    ['/docs/nothing', 404, 'not found'],
    ['/docs/limits/', 404, 'not found'],
    ['/docs/../secret', 418, 'not the documentation'],
    ['/docsx', 418, 'not the documentation'],
    ['/', 418, 'not the documentation'],
  ])('%s answers %i with %s', async (url, status, body) => {
    const reply = await (await served(SITE))(url);
    expect([reply.statusCode, reply.body]).toEqual([status, body]);
  });

  test('a page above others redirects to its address with a slash, with its query', async () => {
    const get = await served(SITE);
    expect((await get('/docs')).headers.location).toBe('/docs/');
    const reply = await get('/docs/operating?x=1');
    expect([reply.statusCode, reply.headers.location]).toEqual([308, '/docs/operating/?x=1']);
  });

  test('changes nothing: other methods are not its business', async () => {
    expect((await (await served(SITE))('/docs/', 'POST')).statusCode).toBe(418);
  });

  test.each([
    ['/docs/assets/app.DrpU3-Li.js', 'public, max-age=31536000, immutable'],
    ['/docs/assets/limits.md.BGho2jxw.lean.js', 'public, max-age=31536000, immutable'],
    ['/docs/assets/code.css', 'no-cache'],
    ['/docs/limits', 'no-cache'],
  ])('%s may be kept as %s', async (url, cacheControl) => {
    const { headers } = await (await served(SITE))(url);
    expect(headers['cache-control']).toBe(cacheControl);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
  });

  test('only the reference may have inline styles and call the sandbox, and only that', async () => {
    const get = await served(SITE, 'https://sandbox.example:8443/some/path');
    const policy = String((await get('/docs/api/')).headers['content-security-policy']).split(';');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "connect-src 'self' https://sandbox.example:8443",
      ]),
    );
    expect((await get('/docs/limits')).headers['content-security-policy']).toBeUndefined();
  });

  test('unbuilt, it says how to build it', async () => {
    const reply = await (await served({}))('/docs/');
    expect(reply.statusCode).toBe(503);
    expect(reply.body).toMatch(/^The documentation is not built; run .*\.\n$/);
  });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { serveBuiltFiles } from './built-files.ts';
import { loadPageFiles } from './page-files.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const SCRIPT = `const words = ${JSON.stringify('word '.repeat(1_000))};`;

async function built(files: Record<string, string | Buffer> = {}) {
  const folder = join(await temporaryFolder(), 'dist');
  const all = {
    'index.html': '<!doctype html>',
    'assets/index-Dk3_x9aB.js': SCRIPT,
    'assets/index-Dk3_x9aB.js.br': brotliCompressSync(SCRIPT),
    'assets/index-Dk3_x9aB.js.gz': gzipSync(SCRIPT),
    'favicon.svg': '<svg/>',
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return served(folder);
}

/** What a caller gets for a path; undefined if it is not the console's. */
async function served(folder: string) {
  const app = Fastify();
  const sendPage = loadPageFiles(serveBuiltFiles(app, { console: folder }).console, {
    programs: /^\/(?:support|orders|health|metrics|console|assets|openapi(?:\.json)?)(?:\/|$)/,
  });
  app.setNotFoundHandler((request, reply) => {
    if (!sendPage(request, reply)) reply.code(404).send('none of the console');
  });
  await app.ready();
  onTestFinished(() => app.close());
  return async (path: string, headers: Record<string, string> = {}) => {
    const reply = await app.inject({ url: path, headers });
    if (reply.body === 'none of the console') return undefined;
    return { status: reply.statusCode, headers: reply.headers, body: reply.rawPayload };
  };
}

describe('the console', () => {
  test('its page answers at / and at every address of a page', async () => {
    const files = await built();
    for (const path of ['/', '/sandbox/partners', '/production/deliveries/del_1', '/index.html']) {
      const reply = await files(path, PAGE);
      expect([path, reply?.status, String(reply?.body)]).toEqual([path, 200, '<!doctype html>']);
      expect(reply?.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
      });
    }
    expect((await files('/', {}))?.status).toBe(200);
  });

  test('addresses of programs are not pages, nor is what no page was asked for', async () => {
    const files = await built();
    const addresses = [
      '/support/v1/nothing',
      '/support',
      '/orders/v1',
      '/health/x',
      '/metrics/x',
      '/console/x',
      '/openapi.json/x',
      '/openapi/x.json',
      '/assets/gone-Dk3_x9aB.js',
    ];
    for (const path of addresses)
      expect([path, await files(path, PAGE)]).toEqual([path, undefined]);
    expect(await files('/deliveries', { accept: '*/*' })).toBeUndefined();
    expect(await files('/deliveries', {})).toBeUndefined();
    expect((await files('/supporters', PAGE))?.status).toBe(200);
  });

  test('files with a digest in their name may be kept for good', async () => {
    const files = await built({ 'assets/plain.js': '' });
    const hashed = await files('/assets/index-Dk3_x9aB.js', {});
    expect(hashed?.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await files('/assets/plain.js', {}))?.headers['cache-control']).toBe('no-cache');
    expect((await files('/favicon.svg', {}))?.headers['content-type']).toBe('image/svg+xml');
  });

  test('what the browser has is not sent again', async () => {
    const files = await built();
    const first = await files('/', PAGE);
    const etag = first?.headers.etag as string;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await files('/', { ...PAGE, 'if-none-match': etag });
    expect([again?.status, String(again?.body)]).toEqual([304, '']);
    const other = await files('/', { ...PAGE, 'if-none-match': '"other"' });
    expect(other?.status).toBe(200);
  });

  test.each([
    ['br', 'gzip, deflate, br, zstd'],
    ['br', 'br;q=0.5'],
    ['gzip', 'gzip'],
    ['gzip', 'br;q=0, gzip;q=1.0'],
    [undefined, 'gzip;q=0.0,br;q=0'],
    [undefined, 'brx, xgzip'],
    [undefined, ''],
  ])('is sent as %s for "%s"', async (encoding, accepted) => {
    const files = await built();
    const reply = await files('/assets/index-Dk3_x9aB.js', { 'accept-encoding': accepted });
    expect(reply?.headers['content-encoding']).toBe(encoding);
    expect(reply?.headers.vary).toBe('accept-encoding');
    const body = reply?.body as Buffer;
    const plain =
      encoding === 'br' ? brotliDecompressSync(body) : encoding ? gunzipSync(body) : body;
    expect(String(plain)).toBe(SCRIPT);
    if (encoding) expect(reply?.headers.etag).toMatch(new RegExp(`-${encoding}"$`));
  });

  test('sends what the build compressed as it is, and not as a file of its own', async () => {
    const files = await built({ 'assets/index-Dk3_x9aB.js.br': 'from the build' });
    const reply = await files('/assets/index-Dk3_x9aB.js', { 'accept-encoding': 'br' });
    expect(String(reply?.body)).toBe('from the build');
    const again = await files('/assets/index-Dk3_x9aB.js', {
      'if-none-match': String(reply?.headers.etag),
    });
    expect(again?.status).toBe(304);
    expect(await files('/assets/index-Dk3_x9aB.js.br', {})).toBeUndefined();
  });

  test('no path leads out of the folder', async () => {
    const files = await built({ '../secret.txt': 'secret' });
    for (const path of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/../../secret.txt',
      '//x',
    ]) {
      expect([path, await files(path, {})]).toEqual([path, undefined]);
    }
  });

  test('unbuilt, it says how to build it', async () => {
    const files = await served(join(await temporaryFolder(), 'dist'));
    const reply = await files('/', PAGE);
    expect(reply?.status).toBe(503);
    expect(String(reply?.body)).toMatch(/^These pages are not built; run .*\.\n$/);
    expect(await files('/support/v1/x', PAGE)).toBeUndefined();
  });
});

/** The prebuilt pages of the console, or of the portal: one page answers at every address that is not a program's. */
import type { BuiltFiles, SendFile } from './built-files.ts';
import { contentSecurityPolicy } from './security-headers.ts';

const INDEX = '/index.html';
/** A page whatever the caller accepts: there is nothing else at this address. */
const HOME = '/';
/** Vite puts a digest of the content into these names. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;

export interface Pages {
  /** Addresses of programs: a 404 helps someone who mistypes one, a page would not. */
  programs: RegExp;
}

export function loadPageFiles(files: BuiltFiles, { programs }: Pages): SendFile {
  const isBuilt = files.has(INDEX);
  const notBuilt = 'These pages are not built; run "npm run build" and start Bellhop again.\n';
  return (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path = ''] = request.url.split('?');
    const isPage =
      path === HOME || (!!request.headers.accept?.includes('text/html') && !programs.test(path));
    const file = isBuilt && files.has(path) ? path : isPage ? INDEX : undefined;
    if (file === undefined) return false;
    if (isBuilt) files.send(request, reply, file, HASHED.test(file));
    else reply.code(503).type('text/plain; charset=utf-8').send(notBuilt);
    return true;
  };
}

const ROOT = '/docs';
const NOT_FOUND = '/404.html';
/** VitePress puts a digest of the content into these names. */
const HASHED_NAME = /^\/assets\/.*\.[\w-]{8}\.(?:lean\.)?\w+$/;
/** The API reference. */
const REFERENCE = /^\/api\/(?:index\.html)?$/;
const DOCS_NOT_BUILT =
  'The documentation is not built; run "npm run build" and start Bellhop again.\n';

/** `sandboxUrl` is where the reference may try calls. */
export function loadDocsFiles(files: BuiltFiles, sandboxUrl: string | undefined): SendFile {
  const policyOfReference = contentSecurityPolicy({
    // Scalar adds its styles while it runs. It loads scripts from this server only, like every page.
    styleSrc: ["'self'", "'unsafe-inline'"],
    connectSrc: ["'self'", ...(sandboxUrl ? [new URL(sandboxUrl).origin] : [])],
  });
  return (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [url = '', query] = request.url.split('?');
    if (url !== ROOT && !url.startsWith(`${ROOT}/`)) return false;
    const path = url.slice(ROOT.length);
    if (!files.has('/index.html')) {
      reply.code(503).type('text/plain; charset=utf-8').send(DOCS_NOT_BUILT);
      return true;
    }
    if (isFolder(files, path)) {
      reply.redirect(`${url}/${query === undefined ? '' : `?${query}`}`, 308);
      return true;
    }
    const file = fileAt(files, path);
    if (REFERENCE.test(path)) reply.header('content-security-policy', policyOfReference);
    if (file === undefined) reply.code(404);
    files.send(request, reply, file ?? NOT_FOUND, HASHED_NAME.test(path));
    return true;
  };
}

/** A page that other pages are below has an address that ends with a slash, on which its relative links rely. */
function isFolder(files: BuiltFiles, path: string): boolean {
  return !path.endsWith('/') && files.has(`${path}/index.html`);
}

/** The addresses of pages have no suffix. */
function fileAt(files: BuiltFiles, path: string): string | undefined {
  const names = path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return names.find((name) => files.has(name));
}

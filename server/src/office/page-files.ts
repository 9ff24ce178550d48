/** The prebuilt pages of the console, or of the portal: one page answers at every address that is not a program's. */
import type { BuiltFiles, SendFile } from './built-files.ts';

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

/**
 * The prebuilt console. @fastify/static sends the files, compressed as they were built. Which paths
 * are files, and their tags, are read once at the start: what is not listed does not exist, so no path
 * can lead anywhere else. The tags are digests of the content, because a file's size and time, from
 * which the library would make them, can be the same in two releases.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const INDEX = '/index.html';
/** Pages whatever the caller accepts: there is nothing else at these addresses. */
const PAGES = new Set(['/', '/docs']);
/** Vite puts a digest of the content into these names, so what they name never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
/** The build's compressed forms, which are sent in place of the file they belong to. */
const COMPRESSED = /\.(br|gz)$/;
const ENCODINGS = { br: 'br', gz: 'gzip' } as const;
/** Addresses of programs: a 404 helps someone who mistypes one, the console would not. */
const NOT_PAGES = /^\/(?:support|orders|health|metrics|console|assets|openapi(?:\.json)?)(?:\/|$)/;
const NOT_BUILT =
  'The console is not built; run "npm run build:console" and start Bellhop again.\n';

/** Answers with one of the console's files; false if the request is not for one. */
export type ConsoleFiles = (request: FastifyRequest, reply: FastifyReply) => boolean;

export function loadConsoleFiles(app: FastifyInstance, folder: string): ConsoleFiles {
  const digests = readDigests(folder);
  if (digests.size > 0) {
    app.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      etag: false,
      lastModified: false,
      setHeaders(reply, file) {
        const encoding = COMPRESSED.exec(file)?.[1] as keyof typeof ENCODINGS | undefined;
        const path = pathOf(folder, file.replace(COMPRESSED, ''));
        reply.header('etag', tagOf(digests.get(path), encoding));
        // The library still has the type that RFC 9239 made obsolete.
        if (path.endsWith('.js')) reply.header('content-type', 'text/javascript; charset=utf-8');
      },
    });
  }
  return (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path = ''] = request.url.split('?');
    const isPage =
      PAGES.has(path) || (!!request.headers.accept?.includes('text/html') && !NOT_PAGES.test(path));
    const file = digests.has(path) ? path : isPage ? INDEX : undefined;
    if (file === undefined) return false;
    if (digests.size === 0) {
      reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
      return true;
    }
    const cacheControl = HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache';
    reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding' });
    const known = knownTag(request.headers['if-none-match'], digests.get(file) as string);
    if (known === undefined) reply.sendFile(file.slice(1));
    else reply.code(304).header('etag', known).send();
    return true;
  };
}

/** By path; empty if the console is not built. */
function readDigests(folder: string): Map<string, string> {
  const digests = new Map<string, string>();
  if (!existsSync(join(folder, INDEX))) return digests;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || COMPRESSED.test(file)) continue;
    const digest = createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 22);
    digests.set(pathOf(folder, file), digest);
  }
  return digests;
}

function pathOf(folder: string, file: string): string {
  return file.slice(join(folder, sep).length - 1).replaceAll(sep, '/');
}

/** The browser's own tag of this content, in whichever coding it has it. */
function knownTag(header: string | undefined, digest: string): string | undefined {
  const tags = header?.match(/"[^"]*"/g) ?? [];
  return tags.find((tag) => tag === tagOf(digest) || tag.startsWith(`"${digest}-`));
}

function tagOf(digest = '', encoding?: keyof typeof ENCODINGS): string {
  return `"${digest}${encoding ? `-${ENCODINGS[encoding]}` : ''}"`;
}

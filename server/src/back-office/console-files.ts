/**
 * The prebuilt console. Its files are read once, at the start, into a map by path: what is not in
 * the map does not exist, so no path can lead anywhere else. Compressed forms are taken from beside
 * the file (`.br`, `.gz`), or made when first asked for, and kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;
const INDEX = '/index.html';
/** Whoever asks for these, and however: there is nothing else there. */
const PAGES = new Set(['/', '/docs']);
/** Vite puts a digest of the content into these names, so what they name never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
/** Addresses of programs: a person who mistypes one is helped by a 404, not by the console. */
const NOT_PAGES = /^\/(?:support|orders|health|metrics|console|assets|openapi(?:\.json)?)(?:\/|$)/;
const NOT_BUILT =
  'The console is not built; run "npm run build:console" and start Bellhop again.\n';

export interface FileReply {
  status: number;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Undefined for whatever is not the console's. */
export type ConsoleFiles = (
  path: string,
  headers: IncomingHttpHeaders,
) => Promise<FileReply | undefined>;

type Encoding = 'br' | 'gzip' | 'identity';

interface File {
  type: string;
  etag: string;
  cacheControl: string;
  content(encoding: Encoding): Promise<Buffer>;
}

export function loadConsoleFiles(folder: string): ConsoleFiles {
  const files = readFiles(folder);
  return async (path, headers) => {
    const wantsPage = headers.accept?.includes('text/html') ?? false;
    const isPage = PAGES.has(path) || (wantsPage && !NOT_PAGES.test(path));
    const file = files.get(path) ?? (isPage ? files.get(INDEX) : undefined);
    if (file) return replyWith(file, headers);
    return isPage && files.size === 0 ? notBuilt() : undefined;
  };
}

function readFiles(folder: string): Map<string, File> {
  const files = new Map<string, File>();
  if (!existsSync(join(folder, INDEX))) return files;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name);
    const type = TYPES[extname(name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = name.slice(join(folder, sep).length - 1).replaceAll(sep, '/');
    files.set(path, readFile(name, path, type));
  }
  return files;
}

function readFile(name: string, path: string, type: string): File {
  const plain = readFileSync(name);
  const beside = (suffix: string) =>
    existsSync(name + suffix) ? Promise.resolve(readFileSync(name + suffix)) : undefined;
  const known: Partial<Record<Encoding, Promise<Buffer>>> = {
    identity: Promise.resolve(plain),
    br: beside('.br'),
    gzip: beside('.gz'),
  };
  return {
    type,
    etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
    cacheControl: HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    content(encoding) {
      known[encoding] ??= compress(plain, encoding);
      return known[encoding];
    },
  };
}

function compress(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(plain, { level: 9 });
  // The highest level takes ten times as long for a twentieth less.
  return promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
}

async function replyWith(file: File, headers: IncomingHttpHeaders): Promise<FileReply> {
  const encoding = COMPRESSIBLE.test(file.type) ? encodingFor(headers) : 'identity';
  const etag = `"${file.etag}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  const about = { etag, 'cache-control': file.cacheControl, vary: 'accept-encoding' };
  if (headers['if-none-match']?.includes(etag)) {
    return { status: 304, headers: about, body: undefined };
  }
  const body = await file.content(encoding);
  return {
    status: 200,
    headers: {
      ...about,
      'content-type': file.type,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
    body,
  };
}

function encodingFor(headers: IncomingHttpHeaders): Encoding {
  const accepted = String(headers['accept-encoding'] ?? '');
  const takes = (name: string) =>
    new RegExp(`(?:^|,)\\s*${name}\\s*(?:,|$|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))`, 'i').test(
      accepted,
    );
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : 'identity';
}

function notBuilt(): FileReply {
  return {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: Buffer.from(NOT_BUILT),
  };
}

/**
 * Folders of prebuilt files: the console, the documentation. @fastify/static sends the files, compressed as they were
 * built. Which paths are files is read once: what is not listed does not exist, so no path can lead anywhere else.
 * The tags are digests of the content, because a file's size and time, from which the library would make them, can be
 * the same in two releases.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The build's compressed forms, which are sent in place of the file they belong to. */
const COMPRESSED = /\.(br|gz)$/;
const ENCODINGS = { br: 'br', gz: 'gzip' } as const;
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Answers with a file; false if the request is not for one. */
export type SendFile = (request: FastifyRequest, reply: FastifyReply) => boolean;

export class BuiltFiles {
  readonly #folder: string;
  #paths: ReadonlySet<string> | undefined;
  readonly #digests = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = join(folder, sep);
  }

  /** `path` begins with a slash. */
  has(path: string): boolean {
    this.#paths ??= new Set(this.#list());
    return this.#paths.has(path);
  }

  /** `isHashed`: its name has a digest of the content, so what it names never changes. */
  send(request: FastifyRequest, reply: FastifyReply, path: string, isHashed = false): void {
    const cacheControl = isHashed ? FOR_GOOD : 'no-cache';
    reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding' });
    const known = knownTag(request.headers['if-none-match'], this.#digestOf(path));
    if (known === undefined) reply.sendFile(path.slice(1), this.#folder);
    else reply.code(304).header('etag', known).send();
  }

  /** The tag of a file that is sent; undefined if it is not in this folder. */
  tagOf(file: string): string | undefined {
    if (!file.startsWith(this.#folder)) return undefined;
    const encoding = COMPRESSED.exec(file)?.[1] as keyof typeof ENCODINGS | undefined;
    return tagOf(this.#digestOf(this.#pathOf(file.replace(COMPRESSED, ''))), encoding);
  }

  #list(): string[] {
    try {
      return readdirSync(this.#folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !COMPRESSED.test(entry.name))
        .map((entry) => this.#pathOf(join(entry.parentPath, entry.name)));
    } catch {
      // It is not built.
      return [];
    }
  }

  #pathOf(file: string): string {
    return file.slice(this.#folder.length - 1).replaceAll(sep, '/');
  }

  #digestOf(path: string): string {
    const known = this.#digests.get(path);
    if (known !== undefined) return known;
    const content = readFileSync(join(this.#folder, path));
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
    this.#digests.set(path, digest);
    return digest;
  }
}

/** Registers the library once for all folders. */
export function serveBuiltFiles<Name extends string>(
  app: FastifyInstance,
  folders: Readonly<Record<Name, string>>,
): Record<Name, BuiltFiles> {
  const named = Object.entries<string>(folders).map(
    ([name, folder]) => [name, new BuiltFiles(folder)] as const,
  );
  app.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    cacheControl: false,
    etag: false,
    lastModified: false,
    setHeaders(reply, file) {
      for (const [, files] of named) {
        const tag = files.tagOf(file);
        if (tag !== undefined) reply.header('etag', tag);
      }
      // The library still has the type that RFC 9239 made obsolete.
      if (/\.js(?:\.br|\.gz)?$/.test(file)) {
        reply.header('content-type', 'text/javascript; charset=utf-8');
      }
    },
  });
  return Object.fromEntries(named) as Record<Name, BuiltFiles>;
}

/** The browser's own tag of this content, in whichever coding it has it. */
function knownTag(header: string | undefined, digest: string): string | undefined {
  const tags = header?.match(/"[^"]*"/g) ?? [];
  return tags.find((tag) => tag === tagOf(digest) || tag.startsWith(`"${digest}-`));
}

function tagOf(digest: string, encoding?: keyof typeof ENCODINGS): string {
  return `"${digest}${encoding ? `-${ENCODINGS[encoding]}` : ''}"`;
}

/** What the head of a reply says about where the reply ends and whether the connection stays open. */
import { BROKEN_REPLY, type Failure, HEAD_TOO_LONG, NOT_HTTP } from './failure.ts';

export interface ReplyHead {
  status: number;
  /** Its length in bytes, or how its end is marked. */
  body: number | 'chunks' | 'until close';
  /** How long the connection may stay idle afterwards; 0 if it must be closed. */
  idleMs: number;
}

/** More than any server sends; each costs a little time. */
const MOST_LINES = 128;
/** Servers close idle connections after 5 s (Node), 60 s (nginx) or more, and may announce it. */
export const IDLE_MS = 4_000;
const IDLE_AT_MOST_MS = 30_000;
/** Close this much earlier than the receiver, so that no request crosses its close. */
const IDLE_MARGIN_MS = 1_000;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?$/;
/** Values are trimmed afterwards, and only where needed: in the expression it would take quadratic time. */
const HEADER_LINE = /^([!#$%&'*+.^`|~\w-]+):(.*)$/;
/** Forbidden in a line: a bare carriage return or line feed could be read as its end. */
const BARE_LINE_END = /[\r\n\0]/;

let lastText = '';
let lastHead: ReplyHead | Failure = NOT_HTTP;

/**
 * `text` is everything before the blank line. A receiver's heads differ only by their date, once a second,
 * so a busy one is read from the last result: 2 µs less in each of its deliveries.
 */
export function readHead(text: string): ReplyHead | Failure {
  if (text !== lastText) {
    lastHead = parseHead(text);
    lastText = text;
  }
  return lastHead;
}

/** The status in the first line, once that line is complete; undefined for a 1xx reply. */
export function statusAtTop(head: Buffer): number | undefined {
  const end = head.indexOf('\r\n');
  const status = end < 0 ? null : STATUS_LINE.exec(head.toString('latin1', 0, end));
  return status && Number(status[2]) >= 200 ? Number(status[2]) : undefined;
}

function parseHead(text: string): ReplyHead | Failure {
  const lines = text.split('\r\n', MOST_LINES + 1);
  const status = STATUS_LINE.exec(lines[0] as string);
  if (!status) return NOT_HTTP;
  if (lines.length > MOST_LINES) return HEAD_TOO_LONG;
  const headers = framingHeaders(lines);
  if (!headers) return BROKEN_REPLY;
  const body = bodyOf(Number(status[2]), headers);
  if (body === undefined) return BROKEN_REPLY;
  return {
    status: Number(status[2]),
    body,
    idleMs: body === 'until close' ? 0 : idleMsOf(status[1] === '1', headers),
  };
}

interface Framing {
  length?: string;
  coding?: string;
  connection?: string;
  keepAlive?: string;
}

/** A map, because a plain object also has an entry for a header named `constructor`. */
const FRAMING: ReadonlyMap<string, keyof Framing> = new Map([
  ['content-length', 'length'],
  ['transfer-encoding', 'coding'],
  ['connection', 'connection'],
  ['keep-alive', 'keepAlive'],
]);

/** Undefined if a line is not a header, or if a length or coding appears twice and is ambiguous. */
function framingHeaders(lines: readonly string[]): Framing | undefined {
  const found: Framing = {};
  let last: keyof Framing | undefined;
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] as string;
    if (BARE_LINE_END.test(line)) return undefined;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      // Obsolete line folding: harmless except in the headers that matter here.
      if (i === 1 || last) return undefined;
      continue;
    }
    const [, name = '', value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === '') return undefined;
    last = FRAMING.get(name.toLowerCase());
    if (!last) continue;
    if (found[last] !== undefined && (last === 'length' || last === 'coding')) return undefined;
    const trimmed = value.trim();
    found[last] = found[last] === undefined ? trimmed : `${found[last]}, ${trimmed}`;
  }
  return found;
}

function bodyOf(status: number, { length, coding }: Framing): ReplyHead['body'] | undefined {
  if (length !== undefined && (coding !== undefined || !/^\d{1,15}$/.test(length)))
    return undefined;
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) return coding.toLowerCase() === 'chunked' ? 'chunks' : 'until close';
  return length === undefined ? 'until close' : Number(length);
}

function idleMsOf(isHttp11: boolean, { connection = '', keepAlive = '' }: Framing): number {
  const options = connection.toLowerCase();
  const isKept = isHttp11 ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
  if (!isKept) return 0;
  const seconds = /\btimeout=(\d{1,9})\b/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.min(Math.max(Number(seconds) * 1_000 - IDLE_MARGIN_MS, 0), IDLE_AT_MOST_MS);
}

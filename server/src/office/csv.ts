/**
 * Every list as CSV, whole: the list's own handler is called for one page after another, and each page is written when
 * the caller has read the one before. So there is never more than a page in memory, and nothing is read any more
 * once the caller is gone. Rows that are added or deleted meanwhile may be in it or not; no row is in it twice.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { loggedPath } from '../base/logging/logged-path.ts';
import { followPages } from '../base/pages.ts';
import { LARGEST_PAGE } from '../resources/page.ts';

interface Parts {
  clock: Clock;
  log: Log;
}

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

type Item = Record<string, unknown>;

interface Page {
  items: Item[];
  next_cursor?: string | null;
}

type ReadPage = (query: object) => Promise<Page>;

/** Call it before the routes are added. */
export function serveCsv(app: FastifyInstance, parts: Parts): void {
  app.addHook('onRoute', (route) => {
    const columns = columnsOf(route);
    if (!columns) return;
    addFormat(route);
    const list = route.handler;
    route.handler = async function (this: FastifyInstance, request, reply) {
      reply.header('vary', 'accept');
      if (!wantsCsv(request)) return list.call(this, request, reply);
      const read: ReadPage = async (query) => {
        request.query = query;
        return (await list.call(this, request, reply)) as Page;
      };
      return sendCsv(request, reply, columns, read, parts);
    };
  });
}

/** The fields of the items, if the route is a list. Some lists always come whole. */
function columnsOf({ schema }: Pick<RouteOptions, 'schema'>): string[] | undefined {
  const reply = (schema?.response as Record<string, Schema> | undefined)?.[200];
  const fields = reply?.properties?.items?.items?.properties;
  return fields && Object.keys(fields);
}

/** A link cannot set a header. */
function addFormat(route: RouteOptions): void {
  const querystring = route.schema?.querystring as { properties: object };
  const format = {
    type: 'string',
    enum: ['json', 'csv'],
    description: '`csv` is the same as `Accept: text/csv`.',
  };
  const properties = { ...querystring.properties, format };
  route.schema = { ...route.schema, querystring: { ...querystring, properties } };
}

function wantsCsv({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): boolean {
  const { format } = query as { format?: string };
  if (format !== undefined) return format === 'csv';
  const accepted = qualities(headers.accept ?? '');
  const csv = accepted.get('text/csv') ?? 0;
  return csv > 0 && csv >= (accepted.get('application/json') ?? 0);
}

/** The quality of each media type in an Accept header. */
function qualities(accept: string): Map<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
    }),
  );
}

async function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  columns: readonly string[],
  read: ReadPage,
  { clock, log }: Parts,
) {
  const { cursor: _cursor, ...filters } = request.query as { cursor?: string };
  const query = { ...filters, limit: LARGEST_PAGE };
  // Read before the headers are sent, so that a refusal is still a problem.
  const first = await read(query);
  reply.headers({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName(request, clock)}"`,
  });
  if (request.method === 'HEAD') return reply.send('');
  // All pages together take a second for 14,000 deliveries.
  const pages = followPages(first, ({ next_cursor: cursor }) =>
    cursor ? read({ ...query, cursor }) : undefined,
  );
  const rows = Readable.from(textOf(pages, columns), { objectMode: false });
  rows.on('error', (err) =>
    log.error({ err, path: loggedPath(request) }, 'a CSV download was cut off'),
  );
  return reply.send(rows);
}

async function* textOf(pages: AsyncIterable<Page>, columns: readonly string[]) {
  yield csvRow(columns);
  for await (const { items } of pages) {
    if (items.length === 0) continue;
    yield items.map((item) => csvRow(columns.map((column) => item[column]))).join('');
  }
}

/** Such as `bellhop-production-partners-2026-01-31.csv`. */
function fileName({ url }: FastifyRequest, clock: Clock): string {
  const [path = ''] = url.split('?');
  const parts = path.split('/').slice(3);
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  return `${['bellhop', ...parts, day].join('-').replace(/[^\w.-]/g, '_')}.csv`;
}

/**
 * Where a cell begins for some spreadsheet, and a formula with it: full-width signs count, and quotes and blanks in
 * front may be dropped. A tab or a line break at the beginning may be dropped as well.
 */
const FORMULA_AHEAD =
  /(?<![^;\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

/**
 * A row of CSV, as RFC 4180 has it, in which no spreadsheet finds a formula. Where the list separator is a semicolon,
 * as in most of Europe, a spreadsheet splits our rows at other places: `a,"b;=1+1"` is `a,"b` and `=1+1"` there,
 * because a quote counts only at the beginning of a cell. It splits at the line breaks of such a cell, too.
 */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // An apostrophe makes the cell text. It is the usual remedy, and shows in what reads the file.
  const harmless = text.replace(FORMULA_AHEAD, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

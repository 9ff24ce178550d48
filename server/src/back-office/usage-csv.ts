/** The usage history as CSV (RFC 4180). No value of it needs quotes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ShownUsage } from '../support/usage-history/history.ts';

const columns = ['at', 'endpoint', 'admitted', 'refused', 'failed', 'peak_share'] as const;

export function wantsCsv({ headers: { accept } }: Pick<FastifyRequest, 'headers'>): boolean {
  return accept !== undefined && /(^|[\s,])text\/csv\b/i.test(accept);
}

export function usageCsv(items: readonly ShownUsage[]): string {
  const lines = items.map((item) => columns.map((column) => item[column] ?? '').join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

export function sendCsv(reply: FastifyReply, fileName: string, csv: string): FastifyReply {
  return reply
    .header('content-type', 'text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .serializer((body: string) => body)
    .send(csv);
}

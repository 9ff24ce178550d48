/** The usage history as CSV. It is not paged, so it needs nothing of the lists' streaming. */
import type { FastifyReply } from 'fastify';
import type { ShownUsage } from '../support/usage-history/history.ts';
import { csvRow } from './csv-row.ts';

const columns = ['at', 'endpoint', 'admitted', 'refused', 'failed', 'peak_share'] as const;

export function usageCsv(items: readonly ShownUsage[]): string {
  const rows = items.map((item) => csvRow(columns.map((column) => item[column])));
  return [csvRow(columns), ...rows].join('');
}

export function sendCsv(reply: FastifyReply, fileName: string, csv: string): FastifyReply {
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .serializer((body: string) => body)
    .send(csv);
}

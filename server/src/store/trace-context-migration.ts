/**
 * 0016: the trace of an event, which its webhooks continue. Adding a column without a value changes no row, so
 * it takes no time, however many deliveries there are. Nodes of the release before leave it empty.
 */
import type { Kysely } from 'kysely';

/** Can run again: Kysely runs migrations of SQLite outside a transaction, so a crash may stop it halfway. */
// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
export async function addTraceContext(db: Kysely<any>): Promise<void> {
  const tables = await db.introspection.getTables();
  const delivery = tables.find(({ name }) => name === 'delivery');
  if (delivery?.columns.some(({ name }) => name === 'trace_context')) return;
  await db.schema.alterTable('delivery').addColumn('trace_context', 'text').execute();
}

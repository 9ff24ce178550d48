/**
 * 0016: the trace of an event, which its webhooks continue. Adding a column without a value changes no row, so
 * it takes no time, however many deliveries there are. Nodes of the release before leave it empty.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

/** Can run again: Kysely runs migrations of SQLite outside a transaction, so a crash may stop it halfway. */
// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
export async function addTraceContext(db: Kysely<any>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table delivery add column if not exists trace_context text`.execute(db);
    return;
  }
  const tables = await db.introspection.getTables();
  const delivery = tables.find(({ name }) => name === 'delivery');
  if (delivery?.columns.some(({ name }) => name === 'trace_context')) return;
  await sql`alter table delivery add column trace_context text`.execute(db);
}

/**
 * 0016: the trace of an event, which its webhooks continue. Adding a column without a value changes no row, so
 * it takes no time, however many deliveries there are. Nodes of the release before leave it empty.
 */
import type { Engine } from '../engine.ts';
import { addColumnOnce, type Db } from './migration.ts';

export async function addTraceContext(db: Db, engine: Engine): Promise<void> {
  await addColumnOnce(db, engine, { table: 'delivery', column: 'trace_context', type: 'text' });
}

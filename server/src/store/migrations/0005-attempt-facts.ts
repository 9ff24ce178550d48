/**
 * What support is asked about an attempt, as it was at the time; and which of two keys to sign with first
 * while a rotation overlaps. Attempts from before have none of it.
 */
import type { Db } from './migration.ts';

export async function addAttemptFacts(db: Db): Promise<void> {
  const facts = ['failure_code', 'url', 'body_form', 'user_agent', 'key_id', 'key_fingerprint'];
  for (const fact of facts) {
    await db.schema.alterTable('attempt').addColumn(fact, 'text').execute();
  }
  await db.schema.alterTable('midoffice').addColumn('worked_key', 'text').execute();
  await db.schema.alterTable('delivery').addColumn('last_key', 'text').execute();
}

/**
 * What support is asked about an attempt, as it was then; and which of two keys to sign with first
 * while a rotation overlaps. Attempts of before have none of it.
 */
import type { Kysely } from 'kysely';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

export async function addAttemptFacts(db: Db): Promise<void> {
  const facts = ['failure_code', 'url', 'body_form', 'user_agent', 'key_id', 'key_fingerprint'];
  for (const fact of facts) {
    await db.schema.alterTable('attempt').addColumn(fact, 'text').execute();
  }
  await db.schema.alterTable('midoffice').addColumn('worked_key', 'text').execute();
  await db.schema.alterTable('delivery').addColumn('last_key', 'text').execute();
}

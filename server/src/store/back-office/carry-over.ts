/**
 * Releases before this store kept tokens and sessions in the database of the first environment. They are
 * moved once, so that nobody is signed out and no token is lost. Copying comes first and leaves alone
 * what is there already, so a crash before the old tables are gone only means that it happens again.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import type { BackOfficeSchema, SessionRow, TokenRow } from './schema.ts';

interface OldTables {
  token: Omit<TokenRow, 'expires_at' | 'last_used_at'>;
  session: Omit<SessionRow, 'person_id'>;
}

/** PostgreSQL takes at most 65,535 parameters in a statement, older SQLites 32,766; a row here has six. */
const ROWS_AT_ONCE = 1_000;

export async function carryOver(
  home: Kysely<Schema>,
  { db, existing }: { db: Kysely<BackOfficeSchema>; existing: ReadonlySet<string> },
): Promise<void> {
  const from = home as unknown as Kysely<OldTables>;
  for (const table of ['token', 'session'] as const) {
    if (!existing.has(table)) continue;
    const rows = await from.selectFrom(table).selectAll().execute();
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      await db
        .insertInto(table)
        .values(rows.slice(i, i + ROWS_AT_ONCE))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await from.schema.dropTable(table).execute();
  }
}

/**
 * Ends the sessions and the one-time links that a restored copy has. Since it was made, sessions may have been
 * ended and links used, and nobody can tell which: signing in again costs little.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { environmentNames } from '../../base/config/settings.ts';
import { BACK_OFFICES, databaseOf } from './data-files.ts';

/** As in docs/operating/backup.md, for copies on PostgreSQL. `?` is the time. */
const STATEMENTS: Record<string, string> = {
  portal_session: 'delete from portal_session',
  portal_link: 'update portal_link set ended_at = ? where used_at is null and ended_at is null',
  contact_link: 'delete from contact_link',
  session: 'delete from session',
};

export function endSignIns(dataDir: string, nowMs: number): void {
  const files = [...environmentNames.map(databaseOf), ...BACK_OFFICES]
    .map((path) => join(dataDir, path))
    .filter((file) => existsSync(file));
  for (const file of files) {
    const database = new DatabaseSync(file);
    try {
      // The copy of an earlier release may lack some.
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) {
        const statement = STATEMENTS[String(name)];
        if (!statement) continue;
        const ending = database.prepare(statement);
        if (statement.includes('?')) ending.run(nowMs);
        else ending.run();
      }
    } finally {
      database.close();
    }
  }
}

/** Opens a copied database without changing its folder, looks for damage and counts what is in it. */
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** For people to compare; the tables of all three kinds of database. */
const COUNTED: Record<string, string> = {
  partner: 'partners',
  api_key: 'keys',
  midoffice: 'midoffices',
  delivery: 'deliveries',
  pending: 'pending',
  attempt: 'attempts',
  audit: 'audit_entries',
  token: 'tokens',
  person: 'people',
};

/** Throws if the file is damaged or is not a database. */
export function inspectCopy(file: string): Record<string, number> {
  const url = pathToFileURL(file);
  // Nobody writes to it, and without this SQLite would create a log beside it.
  url.searchParams.set('immutable', '1');
  const connection = new DatabaseSync(url, { readOnly: true });
  try {
    const finding = String(connection.prepare('pragma integrity_check(1)').get()?.integrity_check);
    if (finding !== 'ok') throw new Error(`${file} is damaged (${finding})`);
    const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all();
    const present = new Set(tables.map(({ name }) => name));
    const counts: Record<string, number> = {};
    for (const [name, shown] of Object.entries(COUNTED)) {
      if (!present.has(name)) continue;
      counts[shown] = Number(connection.prepare(`select count(*) as n from ${name}`).get()?.n);
    }
    return counts;
  } finally {
    connection.close();
  }
}

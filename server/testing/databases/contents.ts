/** The contents of an older database, for comparison. */
import type { OldDatabase, Row } from './old-database.ts';

/** As docs/delivery-queue.md defines it. */
export const STATES = `
  select d.event_id, case when p.seq is not null then 'pending' when g.seq is not null then g.state
                          when d.midoffice_id is null then 'unrouted' else 'delivered' end as state
    from delivery d left join pending p on p.seq = d.seq left join given_up g on g.seq = d.seq
   order by d.seq`;

export async function contents<Table extends string>(
  old: OldDatabase,
  tables: readonly Table[],
): Promise<Record<Table, Row[]>> {
  const found = {} as Record<Table, Row[]>;
  for (const table of tables)
    found[table] = await old.query(`select * from ${table} order by 1, 2`);
  return found;
}

/** Every row of every table, and on SQLite the schema with it. */
export async function everything(old: OldDatabase): Promise<Record<string, Row[]>> {
  const tables = await old.query(
    old.engine === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_stat%'"
      : "select tablename as name from pg_tables where schemaname = 'bellhop'",
  );
  const found = await contents(
    old,
    tables.map((table) => table.name as string),
  );
  if (old.engine === 'sqlite') {
    found.schema = await old.query('select type, name, sql from sqlite_master order by name');
  }
  return found;
}

/**
 * 0015: the senders' own references to partners and midoffices that were imported. A repeated import finds by them
 * what it created before, and an export shows them beside our ids.
 */
import type { Db } from './migration.ts';

export async function createImportedRefs(db: Db): Promise<void> {
  await db.schema
    .createTable('imported_ref')
    .ifNotExists()
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('ref', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('imported_ref_pkey', ['kind', 'ref'])
    .execute();
  await db.schema
    .createIndex('imported_ref_by_id')
    .ifNotExists()
    .unique()
    .on('imported_ref')
    .columns(['kind', 'id'])
    .execute();
}

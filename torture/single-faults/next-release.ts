/**
 * Loaded into nodes by NODE_OPTIONS: makes this release the next one, whose only difference is a migration. It
 * changes the two tables that the nodes of the release before use most.
 */
import { registerHooks } from 'node:module';

const FIRST_MIGRATION = "'0001-environment-1.0': ";
const NEXT_MIGRATION = `'9999-next-release': async (db) => {
    await db.schema.alterTable('delivery').addColumn('next_release', 'text').execute();
    await db.schema.alterTable('api_key').addColumn('next_release', 'text').execute();
    await db.schema.createIndex('delivery_next_release').on('delivery').column('next_release').execute();
  },
`;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/server/src/store/table-sets.ts')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(FIRST_MIGRATION)) {
      throw new Error('next-release.ts does not find the first migration in store/table-sets.ts.');
    }
    return { ...loaded, source: source.replace(FIRST_MIGRATION, NEXT_MIGRATION + FIRST_MIGRATION) };
  },
});

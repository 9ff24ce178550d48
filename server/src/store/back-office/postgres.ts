/** The back office's store as a schema of its own in the home's database. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import { auditedChange } from '../change.ts';
import { migratePostgres } from '../postgres/migrating.ts';
import type { Store } from '../store.ts';
import { backOfficeTables } from '../table-sets.ts';
import type { BackOfficeSchema } from './schema.ts';
import { sessionDeletion } from './sessions.ts';
import type { BackOfficeStore } from './store.ts';

export async function openPostgresBackOffice(options: {
  url: string;
  /** The environment whose store it is opened beside. */
  homeName: EnvironmentName;
  home: Store;
  clock: Clock;
  log: Log;
  /** Another thread of this process has opened it before. */
  attach?: boolean | undefined;
}): Promise<BackOfficeStore> {
  const { url, homeName, home, clock, log, attach = false } = options;
  if (!attach) await migratePostgres({ url, environment: homeName, log }, backOfficeTables);
  // The same connections, but a schema with other tables.
  const inSchema = (homeDb: Store['db']) =>
    homeDb.withSchema(backOfficeTables.schema) as unknown as Kysely<BackOfficeSchema>;
  const db = inSchema(home.db);
  return {
    engine: 'postgres',
    db,
    dbFor: () => db,
    signIns: inSchema(home.promptDb),
    change: (actor, work) => auditedChange(db, clock, actor, work, home.keepChange),
    async endSession(digest) {
      const deletion = sessionDeletion(db, { digest });
      await deletion.execute();
      // Without an audit, and harmless to repeat: after a failover nobody is signed in who has signed out.
      home.keepChange?.({ db, at: clock.now(), audits: [], statements: [deletion.compile()] });
    },
    async close() {
      // The connections are the home's.
    },
  };
}

/**
 * The tables of an environment and those of the back office. Both are opened in the same way on each engine; this is
 * what differs. It loads neither engine.
 */
import { createBackOfficeTables } from './migrations/0001-back-office.ts';
import { createEnvironmentTables } from './migrations/0001-environment.ts';
import type { Migration } from './migrations/migration.ts';

export interface TableSet {
  /** Where they are in PostgreSQL. Embedded, they have a file of their own. */
  readonly schema: string;
  /** By name, in their order. A released one is never edited; the next change is the next entry. */
  readonly migrations: Readonly<Record<string, Migration>>;
}

/**
 * The first ones are named after their release: copies of the repository from before it made other tables under
 * `0001-environment` and `0001-back-office`, and are refused (migrations/migrate.ts).
 */
export const environmentTables: TableSet = {
  schema: 'bellhop',
  migrations: { '0001-environment-1.0': createEnvironmentTables },
};

export const backOfficeTables: TableSet = {
  schema: 'bellhop_back_office',
  migrations: { '0001-back-office-1.0': createBackOfficeTables },
};

import { query } from '../../kit/postgres.ts';

/** Each of them would change what statements mean, end sessions, or lose what was confirmed. */
export const HOSTILE = {
  search_path: 'pg_catalog',
  synchronous_commit: 'off',
  extra_float_digits: '-15',
  default_transaction_isolation: "'serializable'",
  default_transaction_deferrable: 'on',
  array_nulls: 'off',
  transform_null_equals: 'on',
  standard_conforming_strings: 'off',
  client_encoding: 'latin1',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'iso_8601',
  TimeZone: "'Pacific/Apia'",
  bytea_output: 'escape',
  lock_timeout: '1',
};

/** For all sessions of this database that begin from now on. `default` takes a setting back. */
export async function setInDatabase(url: string, settings: Record<string, string>): Promise<void> {
  // In another database, because a session of this one may not be able to.
  const elsewhere = new URL(url);
  elsewhere.pathname = '/postgres';
  const alter = `alter database ${new URL(url).pathname.slice(1)} set`;
  const statements = Object.entries(settings).map(
    ([name, value]) => `${alter} ${name} to ${value}`,
  );
  await query(elsewhere.href, statements.join(';'));
}

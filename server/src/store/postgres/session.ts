/**
 * What a session of PostgreSQL has to be like, and the statements that make it so. Roles, databases and servers can have
 * settings that reach every session. Some of them would lose what we answered for, or change what our statements mean:
 * `extra_float_digits = -15` rounds the clock of the database to the year 2033.
 */
import { environmentTables } from '../table-sets.ts';

interface RequiredSetting {
  /** As it is written after `set … to`. No single quotes: the pooler's configuration has it in such quotes. */
  value: string;
  /** By default, only the value itself. */
  isRight?: (value: string) => boolean;
}

/** A pooler in transaction mode must give us sessions like this, because we cannot set anything there. */
const REQUIRED: Record<string, RequiredSetting> = {
  search_path: { value: environmentTables.schema },
  /** Higher than `on` is the operator's choice, and so is `local`, which does not wait for standbys. */
  synchronous_commit: { value: 'on', isRight: (value) => value !== 'off' },
  /** Otherwise floating-point numbers are rounded. */
  extra_float_digits: { value: '1', isRight: (value) => Number(value) >= 1 },
  /** Our statements expect to see what others committed meanwhile, and are not repeated after 40001. */
  default_transaction_isolation: { value: '"read committed"' },
  /** `{NULL}` in a parameter is a null, not a text. */
  array_nulls: { value: 'on' },
  transform_null_equals: { value: 'off' },
  /** A backslash in a literal is a backslash. */
  standard_conforming_strings: { value: 'on' },
};

/** Nothing is read or lost differently without these, so a pooler's sessions may have others. */
const OWN = `
  set default_transaction_deferrable to off;
  set DateStyle to ISO;
  set IntervalStyle to postgres;
  set TimeZone to UTC;
  set bytea_output to hex;
  set lock_timeout to 0;
  set idle_session_timeout to 0;
  set idle_in_transaction_session_timeout to '60s';
  set tcp_keepalives_idle to 30;
  set tcp_keepalives_interval to 10;
  set tcp_keepalives_count to 3`;

/**
 * The first statements on every connection. The last ones of `OWN` are for the sessions of a node that vanished:
 * PostgreSQL would keep them, and the locks of their transactions, until the system notices, which takes two hours by
 * default. `default_transaction_read_only` is left alone: operators set it to stop all writes.
 */
export const SESSION = [
  ...Object.keys(REQUIRED)
    .filter((name) => name !== 'synchronous_commit')
    .map(settingStatement),
  `select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off'`,
  OWN,
].join(';');

export const REQUIRED_NAMES = Object.keys(REQUIRED);

/** The names of the settings that are wrong in a session with these. */
export function wrongSettings(session: ReadonlyMap<string, string>): string[] {
  return REQUIRED_NAMES.filter((name) => {
    const { value, isRight = (is) => is === unquoted(value) } = REQUIRED[name] as RequiredSetting;
    return !isRight(session.get(name) ?? '');
  });
}

/** For a pooler whose sessions have these wrong. */
export function connectQuery(wrong: readonly string[]): string {
  const statements = [...new Set(['search_path', ...wrong])].map(settingStatement);
  return `connect_query='${statements.join('; ')}'`;
}

function settingStatement(name: string): string {
  return `set ${name} to ${REQUIRED[name]?.value}`;
}

function unquoted(value: string): string {
  return value.replaceAll('"', '');
}

/** Sorting and searching by name, without regard to case. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../store/engine.ts';

/**
 * What lists are sorted by, exactly as their indexes spell it: another spelling would sort the whole table.
 * list-plans.test.ts checks it. It ignores the case of letters; on the embedded engine only of ASCII letters.
 */
export const NAME = sql<string>`lower(name)`;

/** A search by name looks at this many records, which takes some 50 ms. Lists have no such limit. */
export const NAMES_SEARCHED = 200_000;

/**
 * The same where another table says which records are meant (look-up-by-ids.ts). Each is looked up by its id there: this
 * many take 50 ms embedded and 200 ms on PostgreSQL.
 */
export const NAMES_LOOKED_UP = 10_000;

/**
 * Whether a name contains the typed text, ignoring case. LIKE ignores the case of ASCII letters only: in
 * SQLite always, in PostgreSQL under some locales. Other letters are matched by patterns with both cases.
 */
export function nameContains(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
  typed: string,
): RawBuilder<SqlBool> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII.
  const isAscii = /^[\x00-\x7f]*$/.test(typed);
  if (isAscii) {
    const pattern = `%${escapeLike(typed)}%`;
    return isPostgres(db)
      ? sql`name ilike ${pattern} escape '\\'`
      : sql`name like ${pattern} escape '\\'`;
  }
  return isPostgres(db)
    ? sql`name ~ ${inBothCases(typed, /[\\^$.*+?()[\]{}|]/)}`
    : sql`name glob ${`*${inBothCases(typed, /[*?[]/)}*`}`;
}

/** For patterns with `escape '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** A pattern of character classes, which GLOB and regular expressions share. */
function inBothCases(typed: string, special: RegExp): string {
  return Array.from(typed, (char) => {
    const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase()])];
    // The upper case of some letters, such as ß, is two letters, which no class can match.
    const single = cases.filter((one) => [...one].length === 1);
    if (single.length > 1) return `[${single.join('')}]`;
    if (!special.test(char)) return char;
    return char === '^' || char === '\\' ? `\\${char}` : `[${char}]`;
  }).join('');
}

/**
 * Whether a name contains what someone typed, in whichever case. SQLite's LIKE knows only the case
 * of ASCII, and so does PostgreSQL's under some locales; other letters are spelled out in both cases.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from '../engine.ts';

export function nameContains(engine: Engine, typed: string): RawBuilder<SqlBool> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII.
  const isAscii = /^[\x00-\x7f]*$/.test(typed);
  if (isAscii) {
    const pattern = `%${typed.replace(/[\\%_]/g, '\\$&')}%`;
    return engine === 'sqlite'
      ? sql`name like ${pattern} escape '\\'`
      : sql`name ilike ${pattern} escape '\\'`;
  }
  return engine === 'sqlite'
    ? sql`name glob ${`*${spell(typed, /[*?[]/)}*`}`
    : sql`name ~ ${spell(typed, /[\\^$.*+?()[\]{}|]/)}`;
}

/** As a pattern of character classes, which GLOB and regular expressions write alike. */
function spell(typed: string, special: RegExp): string {
  return Array.from(typed, (char) => {
    const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase()])];
    // A letter whose other case takes two, such as ß, has none that a class could hold.
    const single = cases.filter((one) => [...one].length === 1);
    if (single.length > 1) return `[${single.join('')}]`;
    if (!special.test(char)) return char;
    return char === '^' || char === '\\' ? `\\${char}` : `[${char}]`;
  }).join('');
}

/** The building blocks of the schemas, each of which serves validation, types and OpenAPI alike. */
import type { TProperties, TSchema } from 'typebox';
import { environmentNames } from '../base/config/settings.ts';
import { MOST_COUNTED } from './count-queries.ts';
import { like, story } from './examples.ts';
import { DEFAULT_PAGE, LARGEST_PAGE, LONGEST_CURSOR } from './page.ts';
import { Type } from './type.ts';

// For the schemas of office and portal: this file is the door to how schemas are built.
export { Type };

/** Well-formed Unicode without control characters: every store can hold it, every screen can show it. */
export function text(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, format: 'text', ...(description && { description }) });
}

/** What people call something. It also stands in mails, so it must not hide anything. */
export function name(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, format: 'name', ...(description && { description }) });
}

/** Well-formed Unicode without NUL: the sender's own text, kept as it came. */
export function anyText(minLength: number, maxLength: number, description?: string) {
  return Type.String({
    minLength,
    maxLength,
    format: 'any-text',
    ...(description && { description }),
  });
}

/** Longer than anything that could be found. */
const LONGEST_FILTER = 500;

/** What a list is narrowed to. */
export function filter(description?: string, minLength = 0, maxLength = LONGEST_FILTER) {
  return Type.Optional(text(minLength, maxLength, description));
}

/** The id of something else. It goes into queries as it is, and PostgreSQL rejects NUL. */
export function idOf(what: string) {
  return Type.String({ maxLength: 200, format: 'id', description: `The id of ${what}.` });
}

/** The same, where null counts as absent. */
export function optionalIdOf(what: string) {
  return Type.Unsafe<string | null>({ ...idOf(what), type: ['string', 'null'] });
}

/** Null counts as absent. One schema instead of a union, because a union reports an error per branch. */
export function optionalText(maxLength: number, description?: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength,
    format: 'any-text',
    ...(description && { description }),
  });
}

/** One of these words. With a title it becomes a type of its own in generated clients. */
export function words<const T extends readonly string[]>(
  choices: T,
  about: { title?: string; description?: string } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...choices], ...about });
}

/** A switch in the address: `?dry_run` is the same as `?dry_run=true`. */
export function flag(description: string) {
  return Type.Optional(words(['true', 'false', ''], { description }));
}

export function isOn(value: string | undefined): boolean {
  return value === 'true' || value === '';
}

/**
 * A reply, or a part of one. The title names it under `components` in the OpenAPI document, and in
 * every client that is generated from it.
 */
export function reply<P extends TProperties>(title: string, properties: P, more: object = {}) {
  return Type.Object(properties, { title, ...more });
}

/** A request body. Unknown fields are refused; otherwise a misspelt one would be ignored silently. */
export function input<P extends TProperties>(title: string, properties: P, more: object = {}) {
  return Type.Object(properties, { title, additionalProperties: false, ...more });
}

/** Query parameters; unknown ones are refused as in a body. */
export function query<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/** An example stands beside the choice, not in it. */
export function orNull<S extends TSchema>(schema: S) {
  const plain: S & { examples?: unknown[] } = { ...schema };
  const { examples } = plain;
  if (!examples) return Type.Union([schema, Type.Null()]);
  delete plain.examples;
  return Type.Union([plain as S, Type.Null()], { examples });
}

/** What was accepted, although it is probably not what was meant. */
export const Warnings = Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }));

export const time = Type.String({ format: 'date-time' });

/** A time from a caller. */
export function givenTime(description?: string) {
  return Type.String({ format: 'given-time', ...(description && { description }) });
}

export const Environment = words(environmentNames, {
  title: 'Environment',
  description: 'The environment whose data is meant.',
});

export const inEnvironment = Type.Object({ environment: Environment });

/** `cursor` is the format of the list's cursors. */
export function pageQueryWith(
  cursor: 'cursor' | 'cursor-of-records' | 'cursor-of-deliveries' | 'cursor-of-own-deliveries',
) {
  return {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LARGEST_PAGE,
        default: DEFAULT_PAGE,
        description: 'Items on a page.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        maxLength: LONGEST_CURSOR,
        format: cursor,
        description: 'The `next_cursor` of an earlier reply.',
      }),
    ),
  };
}

export const pageQuery = pageQueryWith('cursor');

/** Why somebody does something that others may ask about. */
export const reason = like('The partner asked for it.', text(1, 500, 'Why. Kept in the audit.'));

/** The total of a list. */
export const Count = reply('Count', {
  count: Type.Integer({ description: `At most ${MOST_COUNTED}.` }),
  is_exact: Type.Boolean({ description: 'False if there are more.' }),
});

/** Only orders that an index serves; a leading minus turns the order round. */
export function sortBy<const T extends readonly string[]>(sorts: T) {
  const description = `The order of the list; \`${sorts[0]}\` if not given.`;
  return { sort: Type.Optional(words(sorts, { description })) };
}

/** A page of a list. Its name in the OpenAPI document is the item's followed by "Page". */
export function pageOfSchema<S extends TSchema & { title?: string }>(
  item: S,
  cursor = `${story.atMs}-${story.partnerId}`,
) {
  const about = { description: 'Ask for the next page with it; null on the last page.' };
  return reply(`${item.title}Page`, {
    items: Type.Array(item),
    next_cursor: like(cursor, orNull(Type.String(about))),
  });
}

/** A list that always comes whole, in the form of a page. */
export function wholeListOf<S extends TSchema & { title?: string }>(item: S) {
  return reply(`${item.title}List`, {
    items: Type.Array(item),
    // Not `Type.Null()`, which generators of clients cannot turn into a type.
    next_cursor: Type.Unsafe<null>({
      type: ['string', 'null'],
      description: 'Always null here.',
      examples: [null],
    }),
  });
}

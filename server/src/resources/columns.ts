/** The kinds of columns that records have. Flags are stored as 0 and 1, times as milliseconds since 1970. */
import type { Static, TSchema } from 'typebox';
import { like } from './examples.ts';
import * as forms from './forms.ts';
import { readTime } from './problem.ts';
import type { Column, Condition, Field } from './record.ts';
import { Type } from './type.ts';

const asItIs = <T>(value: T): T => value;

/** The id of the record itself, or of one that it belongs to for good. */
export function ownId(example: string) {
  return { type: 'text' as const, shown: like(example), show: asItIs<string> };
}

/** What only Bellhop itself reads. */
export function hidden(type: Column['type']) {
  return { type };
}

export function hiddenOrNull(type: Column['type']) {
  return { type, initial: null };
}

/** Stored as it is given. */
function plain<Shown extends TSchema, Given extends TSchema>(
  type: Column['type'],
  shown: Shown,
  given: Given,
) {
  type Stored = Static<Shown> & Static<Given>;
  return { type, shown, given, show: asItIs<Stored>, read: asItIs<Stored> };
}

export function textOf<Given extends TSchema>(given: Given, example: string) {
  return plain('text', like(example), Type.With(given, { examples: [example] }) as Given);
}

export function day() {
  const schema = Type.String({ format: 'date' });
  return plain('text', schema, schema);
}

/** One of the words of this schema. */
export function word<Words extends TSchema>(schema: Words, initial: Static<Words>) {
  return { ...plain('text', schema, schema), initial };
}

export function number(bounds: { minimum: number; maximum: number; description?: string }) {
  return plain('integer', Type.Integer(), Type.Integer(bounds));
}

/** What a new record has unless something else is given. */
export function initially<Stored, One extends Column<Stored>>(column: One, initial: Stored) {
  return { ...column, initial };
}

export function flag(description?: string) {
  return {
    type: 'integer' as const,
    initial: 0,
    shown: Type.Boolean(),
    given: Type.Boolean(description === undefined ? {} : { description }),
    show: (stored: number) => stored === 1,
    read: (given: boolean) => Number(given),
  };
}

export function moment() {
  return {
    type: 'bigint' as const,
    shown: forms.time,
    given: forms.givenTime(),
    show: (stored: number) => new Date(stored).toISOString(),
    read: (given: string, field: string) => readTime(given, field),
  };
}

/** Null in a new record. */
export function orNull<Stored, Shown extends TSchema, Given extends TSchema>(
  field: Field<Stored, Shown, Given>,
) {
  return {
    ...field,
    initial: null,
    shown: forms.orNull(field.shown),
    given: forms.orNull(field.given),
    show: (stored: Stored | null) => (stored === null ? null : field.show(stored)),
    read: (given: Static<Given> | null, name: string) =>
      given === null ? null : field.read(given, name),
  };
}

export function imported<One extends Column>(column: One) {
  return { ...column, isImported: true };
}

/** It has the id of another record. */
export function reference<One extends Column>(to: NonNullable<Column['refersTo']>, column: One) {
  return imported({ ...column, refersTo: to });
}

/** A list can be narrowed to the records that meet one of these conditions. Its orders are in `@bellhop/rules/lists`. */
export function narrowing<const Words extends Record<string, Condition>, One extends Column>(
  only: Words,
  column: One,
) {
  return { ...column, only };
}

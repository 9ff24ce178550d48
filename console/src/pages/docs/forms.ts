/** The forms that a body can have, each with its fields and an example. */
import { type Document, type Media, resolved } from './openapi.ts';
import { type FieldRow, fieldsOf, merged, type Schema, typeOf } from './schema.ts';

export interface Form {
  /** Empty where there is only one form. */
  title: string;
  description: string;
  fields: FieldRow[];
  example: unknown;
}

/** A body with a choice of titled objects has several forms; any other body has one. */
export function formsOf(document: Document, media: Media): Form[] {
  const { oneOf } = resolved(document, media.schema ?? {});
  const choices = oneOf?.map((choice) => resolved(document, choice)) ?? [];
  if (choices.length < 2 || choices.some(({ title, properties }) => !title || !properties)) {
    const fields = media.schema ? fieldsOf(document, media.schema) : [];
    return [{ title: '', description: '', fields, example: exampleOf(document, media) }];
  }
  return choices.map((schema) => ({
    title: schema.title ?? '',
    description: schema.description ?? '',
    fields: fieldsOf(document, schema),
    example: exampleOf(document, { schema }),
  }));
}

/** An example for each code of an error, by the code. */
export function namedExamplesOf({ examples = {} }: Media): [string, unknown][] {
  return Object.entries(examples).map(([name, { value }]) => [name, value]);
}

/** The document's own example, or one made up from the schema. */
export function exampleOf(document: Document, media: Media): unknown {
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples ?? {})[0]?.value;
  if (named !== undefined) return named;
  return media.schema && madeUp(document, media.schema, 0);
}

function madeUp(document: Document, raw: Schema, depth: number): unknown {
  // Beside a choice, an example stands for the whole.
  const [own] = resolved(document, raw).examples ?? [];
  if (own !== undefined) return own;
  // An optional object is usually missing.
  if (depth > 0 && /^object or null$/.test(typeOf(document, raw))) return null;
  const schema = merged(document, raw);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (depth > 5) return null;
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [
        name,
        madeUp(document, one, depth + 1),
      ]),
    );
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'array':
      return schema.items ? [madeUp(document, schema.items, depth + 1)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return textFor(schema.format);
    case 'object':
      return {};
    default:
      return null;
  }
}

function textFor(format: string | undefined): string {
  switch (format) {
    case 'date-time':
      return '2026-01-31T12:00:00.000Z';
    case 'date':
      return '2025-10-01';
    case 'uuid':
      return '022a2cf1-d279-02f3-9c3c-596aa09b827b';
    default:
      return 'string';
  }
}

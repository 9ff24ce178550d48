/**
 * Turns the schemas that validate into schemas that people and generators read: those with a name
 * move to `components`, and what only our validator understands becomes plain JSON Schema.
 */
import { isDeepStrictEqual } from 'node:util';
import { formats } from '../formats.ts';
import { withFieldExamples } from './field-examples.ts';
import type { Document, Schema } from './json.ts';

/** Names of types; other titles, such as those of the webhook's forms, are only for people. */
const NAME = /^[A-Z][A-Za-z]+$/;

export function nameSchemas(document: Document): Document {
  const named: Record<string, Schema> = {};

  function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const schema = Object.fromEntries(
      Object.entries(asAlternatives(value as Schema)).map(([name, part]) => [name, plain(part)]),
    );
    return refer(withFieldExamples(withKnownFormat(schema)));
  }

  function refer(schema: Schema): Schema {
    const { title } = schema;
    if (typeof title !== 'string' || !NAME.test(title)) return schema;
    const known = named[title];
    if (known && !isDeepStrictEqual(undescribed(known), undescribed(schema))) {
      throw new Error(`two schemas have the name ${title}`);
    }
    // A parameter has the description beside its schema, and not in it.
    if (!known?.description) named[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }

  const paths = plain(document.paths) as Document['paths'];
  const schemas = { ...document.components?.schemas, ...sorted(named) };
  return { ...document, paths, components: { ...document.components, schemas } };
}

function asAlternatives(schema: Schema): Schema {
  if (!('if' in schema)) return schema;
  return { title: schema.title, oneOf: [schema.else, schema.then] };
}

function withKnownFormat({ format, ...schema }: Schema): Schema {
  if (typeof format !== 'string') return format === undefined ? schema : { ...schema, format };
  return { ...schema, ...(formats[format]?.documented ?? { format }) };
}

function undescribed({ description, ...schema }: Schema): Schema {
  return schema;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

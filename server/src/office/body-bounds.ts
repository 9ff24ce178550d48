/**
 * How large the JSON of a route's body can get, by its schema. A body beyond that is refused before it is parsed, so
 * that a caller can't make the thread read what no schema accepts.
 */
import { formats } from './formats.ts';

export interface BodyBounds {
  bytes: number;
  /** Values, those inside lists and objects included. */
  values: number;
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  then?: Schema;
  else?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  maxItems?: number;
}

/** What everyone may send: room for whitespace, and for fields that the reply then names as unknown. */
export const SMALLEST_BOUNDS: BodyBounds = { bytes: 4_096, values: 100 };

/** A character beyond U+FFFF, escaped as two surrogates. */
const LONGEST_CHARACTER_BYTES = 12;
/** A comma, a new line and its indentation. */
const BETWEEN_VALUES_BYTES = 16;
/** Also of true, false and null. */
const LONGEST_NUMBER_BYTES = 24;

export function bodyBoundsOf(schema: object | undefined): BodyBounds {
  const own = schema ? boundsOf(schema as Schema) : { bytes: 0, values: 0 };
  return {
    bytes: own.bytes + SMALLEST_BOUNDS.bytes,
    values: own.values + SMALLEST_BOUNDS.values,
  };
}

function boundsOf(schema: Schema): BodyBounds {
  const alternatives = schema.anyOf ?? (schema.then && [schema.then, schema.else ?? {}]);
  if (alternatives) return largest(alternatives.map(boundsOf));
  if (schema.const !== undefined) return single(lengthOf(schema.const));
  if (schema.enum) return single(Math.max(...schema.enum.map(lengthOf)));
  return largest([schema.type ?? []].flat().map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: Schema): BodyBounds {
  switch (type) {
    case 'object':
      return together(
        Object.entries(schema.properties ?? {}).map(([name, value]) => {
          const { bytes, values } = boundsOf(value);
          return { bytes: bytes + lengthOf(name), values };
        }),
      );
    case 'array': {
      const { bytes, values } = boundsOf(schema.items ?? {});
      const items = bounded(schema.maxItems, schema);
      return { bytes: 2 + items * (bytes + BETWEEN_VALUES_BYTES), values: 1 + items * values };
    }
    case 'string': {
      const format = formats[schema.format ?? ''];
      const characters = bounded(schema.maxLength ?? format?.longest, schema);
      return single(2 + characters * (format?.isAscii ? 1 : LONGEST_CHARACTER_BYTES));
    }
    default:
      return single(LONGEST_NUMBER_BYTES);
  }
}

function together(parts: readonly BodyBounds[]): BodyBounds {
  return parts.reduce(
    (sum, { bytes, values }) => ({
      bytes: sum.bytes + bytes + BETWEEN_VALUES_BYTES,
      values: sum.values + values,
    }),
    { bytes: 2, values: 1 },
  );
}

function largest(choices: readonly BodyBounds[]): BodyBounds {
  return {
    bytes: Math.max(0, ...choices.map(({ bytes }) => bytes)),
    values: Math.max(1, ...choices.map(({ values }) => values)),
  };
}

function single(bytes: number): BodyBounds {
  return { bytes, values: 1 };
}

/** Of our own words, which are ASCII. */
function lengthOf(value: unknown): number {
  return 2 + String(value).length;
}

function bounded(limit: number | undefined, schema: Schema): number {
  if (limit === undefined) throw new Error(`a body without a bound: ${JSON.stringify(schema)}`);
  return limit;
}

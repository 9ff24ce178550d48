/** The fields of a schema, as rows of a table. */
import { type Document, resolved } from './openapi.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface FieldRow {
  name: string;
  depth: number;
  type: string;
  isRequired: boolean;
  description: string;
}

const DEEPEST = 4;

export function fieldsOf(document: Document, schema: Schema, depth = 0): FieldRow[] {
  const whole = merged(document, schema);
  const inner = whole.items ? merged(document, whole.items) : whole;
  if (depth >= DEEPEST || whole.maxItems === 0) return [];
  return Object.entries(inner.properties ?? {}).flatMap(([name, raw]) => {
    const field = resolved(document, raw);
    const row = {
      name,
      depth,
      type: typeOf(document, raw),
      isRequired: inner.required?.includes(name) ?? false,
      description: [field.description, rulesOf(field)].filter(Boolean).join(' '),
    };
    return [row, ...fieldsOf(document, raw, depth + 1)];
  });
}

/** One object out of `allOf`, or the first real choice of `anyOf` and `oneOf`. */
export function merged(document: Document, raw: Schema): Schema {
  const schema = resolved(document, raw);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => merged(document, part));
    return {
      ...schema,
      properties: Object.assign({}, ...parts.map((part) => part.properties)),
      required: parts.flatMap((part) => part.required ?? []),
    };
  }
  const choices = schema.anyOf ?? schema.oneOf;
  const choice = choices?.map((one) => resolved(document, one)).find((one) => one.type !== 'null');
  return choice && !schema.properties ? merged(document, choice) : schema;
}

export function typeOf(document: Document, raw: Schema): string {
  const schema = resolved(document, raw);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((one) => typeOf(document, one)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array' && schema.items) return `array of ${typeOf(document, schema.items)}`;
  const joined = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  const type = schema.maxItems === 0 ? joined?.replace('array', 'empty array') : joined;
  const shown = type ?? (schema.properties || schema.allOf ? 'object' : 'any');
  return schema.format && /^(date|uuid|uri)/.test(schema.format)
    ? `${shown} (${schema.format})`
    : shown;
}

function rulesOf(schema: Schema): string {
  const rules: string[] = [];
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low !== undefined && high !== undefined) rules.push(`${low} to ${high}${unit}.`);
    else if (high !== undefined) rules.push(`At most ${high}${unit}.`);
    else if (low !== undefined) rules.push(`At least ${low}${unit}.`);
  };
  between(schema.minLength, schema.maxLength, ' characters');
  between(schema.minimum, schema.maximum, '');
  if (schema.maxItems !== 0) between(schema.minItems, schema.maxItems, ' items');
  if (schema.default !== undefined) rules.push(`Default ${JSON.stringify(schema.default)}.`);
  return rules.join(' ');
}

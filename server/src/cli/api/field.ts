/** A field that an operation takes: what its schema says, reduced to what a person types. */
import { either } from '@bellhop/partner/command-line';
import { UsageError } from '../failures.ts';
import { MOMENTS, readMoment } from '../moments.ts';
import { positiveTime } from '../options.ts';

/** As the document has it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: string[];
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  required?: string[] | boolean;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

export interface Field {
  type: string;
  isRequired: boolean;
  isNullable: boolean;
  description: string;
  format?: string | undefined;
  choices?: readonly string[] | undefined;
  example: unknown;
  least?: number | undefined;
  most?: number | undefined;
  /** Of a list. */
  items?: Field | undefined;
  /** Of an object, by name; typed as `name.field`. */
  fields?: Record<string, Field> | undefined;
  /** Of an object that takes any name. */
  ofAnyName?: Field | undefined;
}

export function fieldReader(schemas: Record<string, Schema>) {
  const followed = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return schema;
    const { $ref: _, ...own } = schema;
    return { ...schemas[name], ...own };
  };
  return function read(given: Schema, isRequired = false): Field {
    const schema = followed(given);
    const variants = (schema.anyOf ?? schema.oneOf ?? [schema]).map(followed);
    const types = variants.flatMap(({ type }) => type ?? []);
    const [one = {}] = variants.filter(({ type }) => type !== 'null');
    const objects = variants.filter(({ properties }) => properties);
    const fields = objects.flatMap(({ properties, required }) =>
      Object.entries(properties ?? {}).map(([name, property]) => {
        // Of several forms, the back office says which one lacks a field.
        const isNeeded = objects.length === 1 && Array.isArray(required) && required.includes(name);
        return [name, read(property, isNeeded)] as const;
      }),
    );
    const { additionalProperties: others } = one;
    return {
      type: types.find((type) => type !== 'null') ?? '',
      isRequired,
      isNullable: types.includes('null'),
      description: schema.description ?? one.description ?? '',
      format: one.format,
      choices: one.enum,
      example: (schema.examples ?? one.examples)?.[0],
      least: one.minimum,
      most: one.maximum,
      items: one.items && read(one.items),
      fields: objects.length > 0 ? Object.fromEntries(fields) : undefined,
      ofAnyName: typeof others === 'object' ? read(others) : undefined,
    };
  };
}

/** What it takes, after "must be". */
export function takes(field: Field): string {
  const { choices, least, most } = field;
  const orNull = field.isNullable ? ', or null' : '';
  if (choices) return either(choices.filter((one) => one !== '')) + orNull;
  switch (field.type) {
    case 'boolean':
      return `true or false${orNull}`;
    case 'integer':
    case 'number': {
      const from = least === undefined ? '' : ` from ${least}`;
      return `a whole number${from}${most === undefined ? '' : ` to ${most}`}${orNull}`;
    }
    case 'array':
      return field.items?.fields
        ? `JSON: a list of objects${orNull}`
        : `a list, separated by commas${orNull}`;
    case 'object':
      return `an object${orNull}`;
    default:
      return `${textTaken(field)}${orNull}`;
  }
}

function textTaken({ format, example }: Field): string {
  if (format === 'date-time') return `a time such as ${MOMENTS}, -6h or +90d`;
  if (format === 'date') return 'a day such as 2026-01-31';
  return typeof example === 'string' && !/\s/.test(example)
    ? `a text such as ${example}`
    : 'a text';
}

/** The value of `name=text`. */
export function readValue(name: string, field: Field, text: string): unknown {
  const value = text === 'null' && field.isNullable ? null : converted(name, field, text);
  if (value !== undefined) return value;
  const or =
    field.type === 'array' || field.type === 'object' ? ` Give it as JSON: ${name}:='…'.` : '';
  throw new UsageError(`${name} must be ${takes(field)}, not ${JSON.stringify(text)}.${or}`);
}

function converted(name: string, field: Field, text: string): unknown {
  const { choices, items, least = -Infinity, most = Infinity } = field;
  if (choices) return choices.includes(text) ? text : undefined;
  switch (field.type) {
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : undefined);
    case 'integer':
    case 'number': {
      const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    }
    case 'array':
      if (!items || items.fields) return undefined;
      return text === '' ? [] : text.split(',').map((one) => readValue(name, items, one));
    case 'object':
      return undefined;
    default:
      return field.format === 'date-time' ? timeOf(name, text) : text;
  }
}

/** `-6h` is six hours ago, and `+90d` in 90 days. */
function timeOf(name: string, text: string): string | undefined {
  const [, sign, span] = /^([+-])(\d+[a-z]+)$/.exec(text) ?? [];
  const passed = span === undefined ? 0 : positiveTime(name)(span);
  const at = sign ? new Date(Date.now() + (sign === '-' ? -passed : passed)) : readMoment(text);
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}

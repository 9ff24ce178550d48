/** Reads as much of an OpenAPI 3.1 document as the page shows: groups, operations, fields, examples. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
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

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Reply {
  $ref?: string;
  description?: string;
  content?: Record<string, Media>;
}

interface RawOperation {
  tags?: string[];
  summary?: string;
  description?: string;
  operationId?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { description?: string; content?: Record<string, Media> };
  responses?: Record<string, Reply>;
}

type PathItem = Record<string, unknown>;

export interface Document {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, PathItem>;
  webhooks?: Record<string, PathItem>;
  components?: Record<string, Record<string, unknown>>;
}

export interface Operation extends RawOperation {
  id: string;
  method: string;
  path: string;
  isWebhook: boolean;
}

export interface Group {
  name: string;
  description: string | undefined;
  operations: Operation[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
const WEBHOOKS = 'webhooks';

export function groupsOf(document: Document): Group[] {
  const groups = new Map<string, Group>();
  const add = (name: string, operation: Operation) => {
    const description = document.tags?.find((tag) => tag.name === name)?.description;
    const group = groups.get(name) ?? { name, description, operations: [] };
    group.operations.push(operation);
    groups.set(name, group);
  };
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const operation of operationsAt(path, item, false)) {
      add(operation.tags?.[0] ?? 'general', operation);
    }
  }
  for (const [name, item] of Object.entries(document.webhooks ?? {})) {
    for (const operation of operationsAt(name, item, true)) add(WEBHOOKS, operation);
  }
  return [...groups.values()];
}

function operationsAt(path: string, item: PathItem, isWebhook: boolean): Operation[] {
  const shared = (item.parameters ?? []) as Parameter[];
  return methods.flatMap((method) => {
    const raw = item[method] as RawOperation | undefined;
    if (!raw) return [];
    return {
      ...raw,
      parameters: [...shared, ...(raw.parameters ?? [])],
      id: `${method}-${path}`.replace(/[^\w]+/g, '-').replace(/^-|-$/g, ''),
      method,
      path,
      isWebhook,
    };
  });
}

/** Follows `#/components/…`; a reference to nothing gives an empty schema. */
export function resolved<T extends { $ref?: string }>(document: Document, value: T): T {
  let found: T | undefined = value;
  for (let depth = 0; found?.$ref && depth < 10; depth += 1) {
    const [, , kind = '', name = ''] = found.$ref.split('/');
    found = document.components?.[kind]?.[name] as T | undefined;
  }
  return found ?? ({} as T);
}

export function mediaOf(content: Record<string, Media> | undefined): [string, Media] | undefined {
  return Object.entries(content ?? {})[0];
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
  if (depth >= DEEPEST) return [];
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
function merged(document: Document, raw: Schema): Schema {
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
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
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
  between(schema.minItems, schema.maxItems, ' items');
  if (schema.default !== undefined) rules.push(`Default ${JSON.stringify(schema.default)}.`);
  return rules.join(' ');
}

/** The document's own example, or one made up from the schema. */
export function exampleOf(document: Document, media: Media): unknown {
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples ?? {})[0]?.value;
  if (named !== undefined) return named;
  return media.schema && madeUp(document, media.schema, 0);
}

function madeUp(document: Document, raw: Schema, depth: number): unknown {
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

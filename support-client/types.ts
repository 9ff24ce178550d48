/**
 * Writes the generated files of src/ from the documents of the back office and of the portal in docs/openapi: a type for
 * each named schema, and for each operation its address, what a call takes and what it replies. What no caller reads is
 * left out, such as the errors of each status: all of them are a `Problem`. A schema that both documents have is written
 * once, for the back office.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The document of each API, and the file of its operations' addresses. */
const documents = [
  { name: 'back-office', operations: 'operations.gen.ts' },
  { name: 'portal', operations: 'portal-operations.gen.ts' },
] as const;
type Listed = (typeof documents)[number];
const BACK_OFFICE = './back-office.gen.ts';
const LINE_WIDTH = 100;

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
}

/** Which files there are, and what each should contain. */
export async function generatedFiles(): Promise<{ file: string; text: string }[]> {
  const [first] = documents;
  const { components } = await read(first);
  const files = documents.map((one) => filesOf(one, one === first ? {} : components.schemas));
  return (await Promise.all(files)).flat();
}

async function read({ name }: Listed): Promise<Document> {
  const address = new URL(`../docs/openapi/${name}.json`, import.meta.url);
  return JSON.parse(await readFile(address, 'utf8'));
}

/** `known`: the schemas of the back office. */
async function filesOf(listed: Listed, known: Document['components']['schemas']) {
  const { name, operations } = listed;
  const { components, paths } = await read(listed);
  const heading = `/** Generated from docs/openapi/${name}.json by \`npm run openapi\`. Do not edit it. */\n`;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const names = Object.keys(components.schemas);
  const isShared = sharedWith(components.schemas, known);
  const shared = names.filter(isShared);
  const types = names
    .filter((name) => !isShared(name))
    .map((name) => declare(name, components.schemas[name] ?? {}));
  if (shared.length > 0) {
    const taken = shared.map((name) => `export type ${name} = BackOffice.${name};\n`);
    types.unshift(`import type * as BackOffice from '${BACK_OFFICE}';\n`, taken.join(''));
  }
  const calls = objectOf(
    all.map(({ operation }) => [operation.operationId, callOf(operation), true]),
  );
  const addresses = all.map(
    ({ method, path, operation: { operationId } }) =>
      `  ${operationId}: ['${method.toUpperCase()}', '${path}'],\n`,
  );
  return [
    {
      file: inSource(`${name}.gen.ts`),
      text: [heading, ...types, declare('Operations', calls)].join('\n'),
    },
    {
      file: inSource(operations),
      text: `${heading}\nexport const operations = {\n${addresses.join('')}} as const;\n`,
    },
  ];
}

/** Whether the type of this name is the same in both, and so are those that it refers to. */
function sharedWith(own: Document['components']['schemas'], known: typeof own) {
  return function isShared(name: string): boolean {
    const [one, other] = [own[name], known[name]];
    if (!one || !other || declare(name, one) !== declare(name, other)) return false;
    const named = JSON.stringify(one).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    return [...named].every(([, referred = '']) => isShared(referred));
  };
}

function inSource(name: string): string {
  return fileURLToPath(new URL(`src/${name}`, import.meta.url));
}

/** What a call takes and what it replies, as a schema itself. A body or reply that is not JSON is left to the caller. */
function callOf({ parameters = [], requestBody, responses }: Operation): Schema {
  const named = (place: 'path' | 'query') =>
    parameters
      .filter((one) => one.in === place)
      .map(({ name, schema, required = false }): Field => [name, schema, required]);
  const query = objectOf(named('query'));
  const body = requestBody?.content['application/json']?.schema;
  const input = objectOf([
    ...named('path'),
    ...(query.properties ? [['query', query, query.required !== undefined] as Field] : []),
    ...(body ? [['body', body, requestBody?.required ?? false] as Field] : []),
  ]);
  const replies = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) =>
      content ? (content['application/json']?.schema ?? {}) : { type: 'undefined' },
    );
  const reply = replies.length === 1 ? (replies[0] as Schema) : { anyOf: replies };
  return objectOf([
    ['input', input, true],
    ['reply', reply, true],
  ]);
}

type Field = [name: string, schema: Schema, required: boolean];

function objectOf(fields: Field[]): Schema {
  const required = fields.flatMap(([name, , isRequired]) => (isRequired ? [name] : []));
  return {
    type: 'object',
    ...(fields.length > 0 && {
      properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    }),
    ...(required.length > 0 && { required }),
  };
}

function declare(name: string, schema: Schema): string {
  const about = comment(schema.description, '');
  if (schema.properties)
    return `${about}export interface ${name} {\n${fieldLines(schema, '  ')}}\n`;
  const start = `export type ${name} =`;
  const line = `${start} ${typeOf(schema, start)};\n`;
  if (line.length <= LINE_WIDTH || !schema.enum) return about + line;
  // One word per line, so that a new word is one line of a diff.
  return `${about}${start}\n${schema.enum.map((word) => `  | '${word}'`).join('\n')};\n`;
}

/** `before`: what stands before the type on its line. */
function typeOf(schema: Schema, before: string): string {
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.enum) return schema.enum.map((word) => `'${word}'`).join(' | ');
  const types = Array.isArray(schema.type) ? schema.type.map((type) => ({ type })) : undefined;
  const choices = schema.anyOf ?? schema.oneOf ?? types;
  if (choices) return choices.map((one) => typeOf(one, before)).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'integer':
      return 'number';
    case 'array':
      return listOf(typeOf(schema.items ?? {}, before));
    case 'object':
      return objectType(schema, before);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'undefined':
      return schema.type;
    default:
      throw new Error(`The type ${schema.type} is new to the generator. Teach it.`);
  }
}

function listOf(item: string): string {
  return item.includes('|') ? `(${item})[]` : `${item}[]`;
}

/** In one line if it fits and has no comments. */
function objectType(schema: Schema, before: string): string {
  const { properties, additionalProperties: values } = schema;
  if (!properties) {
    return typeof values === 'object' ? `Record<string, ${typeOf(values, before)}>` : 'object';
  }
  const indent = before.slice(0, before.length - before.trimStart().length);
  const lines = fieldLines(schema, `${indent}  `);
  const oneLine = `{ ${lines.trim().slice(0, -1).replace(/\n\s+/g, ' ')} }`;
  const fits = before.length + oneLine.length < LINE_WIDTH && !lines.includes('/**');
  return fits ? oneLine : `{\n${lines}${indent}}`;
}

function fieldLines({ properties = {}, required = [] }: Schema, indent: string): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const start = `${indent}${name}${required.includes(name) ? '' : '?'}: `;
    const about = schema.description ?? schema.anyOf?.[0]?.description;
    return `${comment(about, indent)}${start}${typeOf(schema, start)};\n`;
  });
  return lines.join('');
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`;
}

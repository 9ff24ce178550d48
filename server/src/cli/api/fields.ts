/** Reads `field=value`, `a.b=value` and `field:=json` to the query and the body of an operation, or says what is wrong. */
import { UsageError } from '../failures.ts';
import { type Field, readValue } from './field.ts';
import { didYouMean, JSON_TYPE, nearest, type Operation } from './operations.ts';

type Values = Record<string, unknown>;

interface Read {
  query: Values;
  /** Undefined if no field of the body is given. */
  body: Values | undefined;
}

/** What a call takes: the parameters of the path stand beside the two. */
export type Input = Read & Record<string, unknown>;

export function readFields(operation: Operation, words: readonly string[]): Read {
  const query = emptyValues();
  const body = emptyValues();
  for (const word of words) {
    const [, name, isJson, text] = /^([^=]*?)(:?)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || text === undefined) {
      throw new UsageError(`${JSON.stringify(word)} is not a field. Write it as name=value.`);
    }
    const inQuery = Object.hasOwn(operation.query, name);
    const { field, keys } = find(
      operation,
      inQuery ? operation.query : operation.body?.fields,
      name,
    );
    const into = inQuery ? query : body;
    put(into, keys, name, (before) => {
      if (isJson) {
        if (before !== undefined) throw givenTwice(name);
        return inQuery ? `${jsonOf(name, text)}` : jsonOf(name, text);
      }
      const value = readValue(name, field, text);
      return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    });
  }
  return { query, body: Object.keys(body).length > 0 ? body : undefined };
}

/** Says what the back office would miss before it is asked. */
export function checkQuery(operation: Operation, { query }: Read): void {
  missing(operation, operation.query, query);
}

/** A body from the standard input is left to the back office. */
export function checkBody(operation: Operation, { body }: Read): void {
  if (!operation.body || (!operation.body.isRequired && !body)) return;
  if (operation.body.type !== JSON_TYPE) {
    throw new UsageError(
      `${nameOf(operation)} needs a body from the standard input: add "-". ${seeFields(operation)}`,
    );
  }
  missing(operation, operation.body.fields, body ?? {});
  if (!body) throw new UsageError(`${nameOf(operation)} needs a field. ${seeFields(operation)}`);
}

function missing(
  operation: Operation,
  fields: Record<string, Field>,
  given: Values,
  before = '',
): void {
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (value === undefined && field.isRequired) {
      const why = field.description === '' ? '' : `: ${field.description.replace(/\.$/, '')}`;
      throw new UsageError(
        `${nameOf(operation)} needs ${before}${name}${why}. ${seeFields(operation)}`,
      );
    }
    if (field.fields && value !== null && typeof value === 'object' && !Array.isArray(value)) {
      missing(operation, field.fields, value as Values, `${before}${name}.`);
    }
  }
}

/** Without a prototype: a header may be called `__proto__`. */
function emptyValues(): Values {
  return Object.create(null);
}

function find(
  operation: Operation,
  fields: Record<string, Field> | undefined,
  name: string,
): { field: Field; keys: string[] } {
  const keys: string[] = [];
  let among = fields ?? {};
  let rest = name;
  for (;;) {
    const [head = '', ...deeper] = rest.split('.');
    const field = Object.hasOwn(among, head) ? among[head] : undefined;
    if (!field) throw unknownField(operation, name, keys, among);
    keys.push(head);
    if (deeper.length === 0) return { field, keys };
    rest = deeper.join('.');
    if (field.ofAnyName) return { field: field.ofAnyName, keys: [...keys, rest] };
    among = field.fields ?? {};
  }
}

function unknownField(
  operation: Operation,
  name: string,
  keys: readonly string[],
  among: Record<string, Field>,
): UsageError {
  const before = keys.map((key) => `${key}.`).join('');
  const known = keys.length === 0 ? { ...operation.query, ...operation.body?.fields } : among;
  const names = Object.keys(known).map((one) => before + one);
  const which =
    names.length === 0 && keys.length === 0 ? 'It takes no fields.' : seeFields(operation);
  return new UsageError(
    `${nameOf(operation)} has no field ${JSON.stringify(name)}.${didYouMean(nearest(name, names))} ${which}`,
  );
}

/** The value may continue the one before, as that of a list does. All others are given once. */
function put(
  values: Values,
  [key = '', ...deeper]: readonly string[],
  name: string,
  valueAfter: (before: unknown) => unknown,
): void {
  const before = values[key];
  const isObject = typeof before === 'object' && before !== null && !Array.isArray(before);
  if (deeper.length > 0 && (isObject || before === undefined)) {
    const inner = (before as Values | undefined) ?? emptyValues();
    values[key] = inner;
    put(inner, deeper, name, valueAfter);
    return;
  }
  const value = deeper.length === 0 ? valueAfter(before) : undefined;
  if (before !== undefined && !(Array.isArray(before) && Array.isArray(value))) {
    throw givenTwice(name);
  }
  values[key] = value;
}

function givenTwice(name: string): UsageError {
  return new UsageError(`${name} is given twice.`);
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `${name} is not JSON: ${(error as Error).message}. Use ${name}=… for a text.`,
    );
  }
}

export function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

export function seeFields(operation: Operation): string {
  return `"bellhop api --help ${nameOf(operation)}" describes its fields.`;
}

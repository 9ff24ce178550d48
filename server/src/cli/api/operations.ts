/**
 * The operations of the back office, from its OpenAPI document. The package contains it, so that finding an operation
 * takes no network. Only what needs it calls `readOperations`: the document has half a megabyte.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { either } from '@bellhop/partner/command-line';
import type { OperationId } from '@bellhop/support-client/client';
import { UsageError } from '../failures.ts';
import { type Field, fieldReader, type Schema } from './field.ts';

const DOCUMENT = join(import.meta.dirname, '../../../../docs/openapi/back-office.json');
export const JSON_TYPE = 'application/json';
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Declared {
  operationId: OperationId;
  summary: string;
  tags: [string];
  parameters?: { in: string; name: string; required: boolean; schema: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

interface Document {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Declared>>;
  tags: { name: string; description: string }[];
}

export interface Operation {
  id: OperationId;
  method: string;
  /** `/support/v1/{environment}/keys/{key_id}` */
  address: string;
  /** As people type it: `keys/{key_id}`. */
  path: string;
  summary: string;
  tag: string;
  query: Record<string, Field>;
  /** The type of its content, and its fields if that is JSON. */
  body: { type: string; isRequired: boolean; fields: Record<string, Field> } | undefined;
  repliesJson: boolean;
}

export interface Operations {
  all: readonly Operation[];
  tags: readonly { name: string; description: string }[];
}

export function readOperations(): Operations {
  const { components, paths, tags } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  const read = fieldReader(components.schemas);
  const all = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, declared]): Operation => {
      const { requestBody } = declared;
      const [type = ''] = Object.keys(requestBody?.content ?? {});
      const schema = requestBody?.content?.[JSON_TYPE]?.schema;
      const succeeds = Object.entries(declared.responses).find(([status]) => status < '3');
      const replies = Object.keys(succeeds?.[1].content ?? {});
      const asked = (declared.parameters ?? []).filter((one) => one.in === 'query');
      return {
        id: declared.operationId,
        method: method.toUpperCase(),
        address,
        path: shortened(address),
        summary: declared.summary,
        tag: declared.tags[0],
        query: Object.fromEntries(
          asked.map((one) => [one.name, read({ ...one.schema, ...one }, one.required)]),
        ),
        body: requestBody && {
          type,
          isRequired: requestBody.required ?? false,
          fields: schema ? (read(schema).fields ?? {}) : {},
        },
        repliesJson: replies.length === 0 || replies.includes(JSON_TYPE),
      };
    }),
  );
  return { all, tags: tags.filter(({ name }) => all.some(({ tag }) => tag === name)) };
}

/** Without what is the same in all of them: `orders/events`, `tokens/{id}`. */
function shortened(address: string): string {
  const words = address.split('/').filter((word) => word !== 'v1' && word !== '{environment}');
  return words.slice(words[1] === 'support' ? 2 : 1).join('/');
}

interface Found {
  /** Those of one path, by method. */
  operations: readonly Operation[];
  /** What the path says in place of the names in braces. */
  params: Record<string, string>;
}

/** Takes a path as the list shows it, or a whole one, as in the documentation: `/support/v1/sandbox/keys/1234`. */
export function findPath({ all }: Operations, given: string): Found {
  const isWhole = given.startsWith('/');
  const words = given.split('/').slice(isWhole ? 1 : 0);
  if (words.length > 1 && words.at(-1) === '') words.pop();
  const typed = words.map(decoded);
  const shapes = all.map((operation) => ({
    operation,
    shape: (isWhole ? operation.address.slice(1) : operation.path).split('/'),
  }));
  const fits = shapes
    .filter(({ shape }) => isAlike(shape, typed))
    // keys/count is not the key "count".
    .sort((one, other) => paramsIn(one.shape) - paramsIn(other.shape));
  const [best] = fits;
  if (!best) throw unknownPath(given, typed, shapes);
  const params = best.shape.flatMap((word, at) => {
    const [, name] = /^{(.+)}$/.exec(word) ?? [];
    return name === undefined ? [] : [[name, typed[at] ?? ''] as const];
  });
  return {
    operations: fits
      .filter(({ shape }) => `${shape}` === `${best.shape}`)
      .map((one) => one.operation),
    params: Object.fromEntries(params),
  };
}

/** An id with a slash or another mark of addresses is typed percent-encoded. */
function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new UsageError(
      `"${word}" in the path is not valid: a percent sign in an id is typed as %25.`,
    );
  }
}

function isAlike(shape: readonly string[], typed: readonly string[]): boolean {
  if (shape.length !== typed.length) return false;
  // An address with "." or ".." would mean another path.
  const isId = (word = '') => !/^\.{0,2}$/.test(word);
  return shape.every((word, at) => (word.startsWith('{') ? isId(typed[at]) : word === typed[at]));
}

function paramsIn(shape: readonly string[]): number {
  return shape.filter((word) => word.startsWith('{')).length;
}

function unknownPath(
  given: string,
  typed: readonly string[],
  shapes: readonly { shape: readonly string[] }[],
): UsageError {
  const filled = shapes
    .map(({ shape }) => ({
      shape,
      words: shape.map((word, at) => (word.startsWith('{') ? (typed[at] ?? '') : word)),
    }))
    .filter(({ shape, words }) => shape.length === typed.length && isAlike(shape, words));
  const like = nearest(
    typed.join('/'),
    filled.map(({ words }) => words.join('/')),
  );
  const [first = ''] = typed;
  const isKnown = shapes.some(({ shape }) => shape[0] === first);
  const list = isKnown
    ? `"bellhop api ${first}" lists what begins so.`
    : '"bellhop api" lists all paths.';
  return new UsageError(`There is no path ${JSON.stringify(given)}.${didYouMean(like)} ${list}`);
}

export function didYouMean(like: readonly string[]): string {
  return like.length === 0
    ? ''
    : ` Did you mean ${either(like.map((one) => JSON.stringify(one)))}?`;
}

export function ofMethod({ operations }: Found, method: string): Operation {
  const found = operations.find((one) => one.method === method);
  if (found) return found;
  const has = either(operations.map((one) => one.method));
  throw new UsageError(`${operations[0]?.path} takes ${has}, not ${method}.`);
}

const MOST = 3;

/** The words that somebody may have meant: at most three, and only if they differ in a third of their letters or less. */
export function nearest(typed: string, words: Iterable<string>): string[] {
  const others = new Set(words);
  others.delete(typed);
  const scored = Array.from(others, (word) => ({ word, differs: distance(typed, word) }));
  const least = Math.min(...scored.map(({ differs }) => differs));
  return scored
    .filter(({ word, differs }) => differs === least && differs * 3 <= Math.max(word.length, 3))
    .map(({ word }) => word)
    .slice(0, MOST);
}

/** How many letters to add, leave out or replace. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(one).entries()) {
    const line = [row + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (above[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      line.push(Math.min(replaced, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[other.length] ?? 0;
}

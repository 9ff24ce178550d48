/** Reads as much of an OpenAPI 3.1 document as the page shows: groups and their operations. */
import type { Schema } from './schema.ts';

export interface Media {
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

export interface Header {
  $ref?: string;
  description?: string;
  schema?: Schema;
}

export interface Reply {
  $ref?: string;
  description?: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
}

interface RawOperation {
  tags?: string[];
  summary?: string;
  description?: string;
  operationId?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?:
    | { $ref?: string; description?: string; content?: Record<string, Media> }
    | undefined;
  responses?: Record<string, Reply>;
}

type PathItem = Record<string, unknown>;

export interface Document {
  info: { title: string; version: string; description?: string };
  servers?: { url: string; description?: string }[];
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
    for (const operation of operationsAt(document, path, item)) {
      add(operation.tags?.[0] ?? 'general', operation);
    }
  }
  for (const [name, item] of Object.entries(document.webhooks ?? {})) {
    for (const operation of operationsAt(document, name, resolved(document, item))) {
      add(WEBHOOKS, { ...operation, isWebhook: true });
    }
  }
  return [...groups.values()];
}

function operationsAt(document: Document, path: string, item: PathItem): Operation[] {
  const shared = (item.parameters ?? []) as Parameter[];
  return methods.flatMap((method) => {
    const raw = item[method] as RawOperation | undefined;
    if (!raw) return [];
    return {
      ...raw,
      requestBody: raw.requestBody && resolved(document, raw.requestBody),
      parameters: [...shared, ...(raw.parameters ?? [])],
      id: `${method}-${path}`.replace(/[^\w]+/g, '-').replace(/^-|-$/g, ''),
      method,
      path,
      isWebhook: false,
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

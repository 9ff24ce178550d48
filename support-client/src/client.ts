/**
 * Calls the back office by the ids of its operations: `call('getKey', { environment, key_id })`. What a call takes and
 * replies is typed by the OpenAPI document. How a request travels, and what becomes of a `Problem`, differs between
 * a browser and a command line, so the caller brings that.
 */
import type { Operations } from './back-office.gen.ts';
import { operations } from './operations.gen.ts';

export type OperationId = keyof Operations;
/** The parameters of the path by name, with `query` and `body` beside them. */
export type InputOf<Id extends OperationId> = Operations[Id]['input'];
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];
export type QueryOf<Id extends OperationId> =
  InputOf<Id> extends { query?: infer Query } ? NonNullable<Query> : never;

export interface OperationRequest {
  method: (typeof operations)[OperationId][0];
  /** With the query. */
  path: string;
  /** To be sent as JSON. */
  body: unknown;
}

export type Call<Options> = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Options,
) => Promise<ReplyOf<Id>>;

/** `exchange` resolves to the body of a successful reply, and rejects with what callers should see otherwise. */
export function createClient<Options>(
  exchange: (request: OperationRequest, options?: Options) => Promise<unknown>,
): Call<Options> {
  // The server's own tests check its replies against the document.
  return (id, input, options) => exchange(requestOf(id, input), options) as Promise<never>;
}

export function requestOf<Id extends OperationId>(id: Id, input: InputOf<Id>): OperationRequest {
  const [method, template] = operations[id];
  const { query = {}, body, ...params } = input as Input;
  const path = template.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(`${params[name]}`));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, `${value}`]));
  return { method, path: search.size > 0 ? `${path}?${search}` : path, body };
}

interface Input {
  query?: Record<string, unknown>;
  body?: unknown;
  [param: string]: unknown;
}

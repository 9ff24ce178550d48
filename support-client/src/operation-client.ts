/**
 * Calls an API by the ids of its operations. What a call takes and replies is typed by its OpenAPI document. How a
 * request travels, and what becomes of a `Problem`, differs between a browser and a command line, so the caller brings
 * that.
 */

/** For each operation, what a call takes (the parameters of the path, `query` and `body`) and what it replies. */
export type OperationTypes<Operations> = {
  [Id in keyof Operations]: { input: unknown; reply: unknown };
};

/** For each operation, its method and the template of its path. */
export type OperationTable<Operations> = {
  readonly [Id in keyof Operations]: readonly [method: string, path: string];
};

export interface OperationRequest {
  method: string;
  /** With the query. */
  path: string;
  /** To be sent as JSON. */
  body: unknown;
}

export type Call<Operations extends OperationTypes<Operations>, Options> = <
  Id extends keyof Operations,
>(
  id: Id,
  input: Operations[Id]['input'],
  options?: Options,
) => Promise<Operations[Id]['reply']>;

/** `exchange` resolves to the body of a successful reply, and rejects with what callers should see otherwise. */
export function createCall<Operations extends OperationTypes<Operations>, Options>(
  table: OperationTable<Operations>,
  exchange: (request: OperationRequest, options?: Options) => Promise<unknown>,
): Call<Operations, Options> {
  // The server's own tests check its replies against the document.
  return (id, input, options) => exchange(requestTo(table[id], input), options) as Promise<never>;
}

export function requestTo(
  [method, template]: readonly [method: string, path: string],
  input: unknown,
): OperationRequest {
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

/** Calls the back office by the ids of its operations: `call('getKey', { environment, key_id })`. */
import type { DryRun, Operations } from './back-office.gen.ts';
import {
  createCall,
  type OperationRequest,
  type Call as OperationsCall,
  requestTo,
} from './operation-client.ts';
import { operations } from './operations.gen.ts';

export type { OperationRequest };

export type OperationId = keyof Operations;
/** The parameters of the path by name, with `query` and `body` beside them. */
export type InputOf<Id extends OperationId> = Operations[Id]['input'];
/** Without the reply to a dry run, which `DryRunId` operations have as well. */
export type ReplyOf<Id extends OperationId> = Exclude<Operations[Id]['reply'], DryRun>;
/** Operations that can tell what they would do: with `dry_run` in the query, they reply with a `DryRun`. */
export type DryRunId = {
  [Id in OperationId]: DryRun extends Operations[Id]['reply'] ? Id : never;
}[OperationId];
export type QueryOf<Id extends OperationId> =
  InputOf<Id> extends { query?: infer Query } ? NonNullable<Query> : never;

type Calls = { [Id in OperationId]: { input: InputOf<Id>; reply: ReplyOf<Id> } };
export type Call<Options> = OperationsCall<Calls, Options>;

export function createClient<Options>(
  exchange: (request: OperationRequest, options?: Options) => Promise<unknown>,
): Call<Options> {
  return createCall<Calls, Options>(operations, exchange);
}

export function requestOf<Id extends OperationId>(id: Id, input: InputOf<Id>): OperationRequest {
  return requestTo(operations[id], input);
}

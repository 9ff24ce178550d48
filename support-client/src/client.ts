/** Calls the back office by the ids of its operations: `call('getKey', { environment, key_id })`. */
import type { Operations } from './back-office.gen.ts';
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
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];
export type QueryOf<Id extends OperationId> =
  InputOf<Id> extends { query?: infer Query } ? NonNullable<Query> : never;

export type Call<Options> = OperationsCall<Operations, Options>;

export function createClient<Options>(
  exchange: (request: OperationRequest, options?: Options) => Promise<unknown>,
): Call<Options> {
  return createCall<Operations, Options>(operations, exchange);
}

export function requestOf<Id extends OperationId>(id: Id, input: InputOf<Id>): OperationRequest {
  return requestTo(operations[id], input);
}

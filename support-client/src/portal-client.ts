/** Calls the partners' portal by the ids of its operations: `call('getMe', { environment })`. */
import {
  createCall,
  type OperationRequest,
  type Call as OperationsCall,
} from './operation-client.ts';
import type { Operations } from './portal.gen.ts';
import { operations } from './portal-operations.gen.ts';

export type OperationId = keyof Operations;
/** The parameters of the path by name, with `query` and `body` beside them. */
export type InputOf<Id extends OperationId> = Operations[Id]['input'];
export type ReplyOf<Id extends OperationId> = Operations[Id]['reply'];
export type QueryOf<Id extends OperationId> =
  InputOf<Id> extends { query?: infer Query } ? NonNullable<Query> : never;

export function createClient<Options>(
  exchange: (request: OperationRequest, options?: Options) => Promise<unknown>,
): OperationsCall<Operations, Options> {
  return createCall<Operations, Options>(operations, exchange);
}

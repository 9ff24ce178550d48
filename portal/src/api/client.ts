/** Calls of the portal by the ids of its operations, in one environment. */
import {
  createClient,
  type InputOf,
  type OperationId,
  type QueryOf,
  type ReplyOf,
} from '@bellhop/support-client/portal-client';
import { createExchange } from '../../../console/src/api/exchange.ts';
import type { Environment } from './types.ts';

export const call = createClient<AbortSignal>(createExchange('x-bellhop-portal'));

/** The operations of one environment's data. */
export type EnvironmentOperation = {
  [Id in OperationId]: InputOf<Id> extends { environment: Environment } ? Id : never;
}[OperationId];
export type EnvironmentInput<Id extends EnvironmentOperation> = Id extends unknown
  ? Omit<InputOf<Id>, 'environment'>
  : never;
export type EnvironmentCall = <Id extends EnvironmentOperation>(
  id: Id,
  input: EnvironmentInput<Id>,
  signal?: AbortSignal,
) => Promise<ReplyOf<Id>>;

export function callIn(environment: Environment): EnvironmentCall {
  return (id, input, signal) => call(id, { ...input, environment } as InputOf<typeof id>, signal);
}

/** The filters of an address are text. The server says which of them it does not understand. */
export type TextQueryOf<Id extends OperationId> = { [name in keyof QueryOf<Id>]?: string };

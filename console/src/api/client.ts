/** Calls of the back office by the ids of its operations. exchange.ts sends them. */
import type { DryRun } from '@bellhop/support-client';
import {
  createClient,
  type DryRunId,
  type InputOf,
  type OperationId,
  type OperationRequest,
  type QueryOf,
  type ReplyOf,
  requestOf,
} from '@bellhop/support-client/client';
import { createExchange, readAsCsv } from './exchange.ts';
import { noteChange } from './last-change.ts';
import type { Environment } from './types.ts';

const send = createExchange('x-bellhop-console');

export const call = createClient(exchange);

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

export type EnvironmentDryRun = <Id extends EnvironmentOperation & DryRunId>(
  id: Id,
  input: EnvironmentInput<Id>,
  signal?: AbortSignal,
) => Promise<DryRun>;

/** What a call would do. It changes nothing. */
export function dryRunIn(environment: Environment): EnvironmentDryRun {
  return (id, input, signal) => {
    const query = { ...('query' in input && input.query), dry_run: 'true' };
    const asked = { ...input, query, environment } as InputOf<typeof id>;
    return call(id, asked, signal) as Promise<unknown> as Promise<DryRun>;
  };
}

/** The filters of an address are text. The server says which of them it does not understand. */
export type TextQueryOf<Id extends OperationId> = { [name in keyof QueryOf<Id>]?: string };

/** The address of a list as CSV, all of it. A link cannot set `Accept`. */
export function csvOf<Id extends OperationId>(
  id: Id,
  input: Omit<InputOf<Id>, 'query'>,
  query?: TextQueryOf<Id>,
): string {
  return requestOf(id, { ...input, query: { ...query, format: 'csv' } } as InputOf<Id>).path;
}

/** The same reply as CSV, to be saved. */
export function readCsv<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<Blob> {
  return readAsCsv(requestOf(id, input).path);
}

async function exchange(request: OperationRequest, signal?: AbortSignal): Promise<unknown> {
  const reply = await send(request, signal);
  // Signing in is not an action of the support API, and its body is a token. A dry run changes nothing.
  const isAction = request.path.startsWith('/support/') && !request.path.includes('dry_run=');
  if (isAction) noteChange(request);
  return reply;
}

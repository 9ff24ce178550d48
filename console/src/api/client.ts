/**
 * Calls of the back office, signed in by the session cookie. Pages of other sites cannot send the extra header, so
 * they cannot change anything. A call rejects with a `Problem`, or with the abort of its signal.
 */
import {
  createClient,
  type InputOf,
  type OperationId,
  type OperationRequest,
  type QueryOf,
  type ReplyOf,
  requestOf,
} from '@bellhop/support-client/client';
import { isGatewayAlone, noteAnswer, noteSilence } from './connection.ts';
import { noteChange } from './last-change.ts';
import { isLeftAlone } from './presence.ts';
import { asProblem, Problem, problemFrom } from './problem.ts';
import type { Environment } from './types.ts';

const UNREAD = 'The server cannot be reached. The page tries again by itself.';
const UNCHANGED =
  'The server cannot be reached, so nobody knows whether this was done. Check before you try again.';

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
  return (id, input, signal) => call(id, { ...input, environment } as never, signal);
}

/** The filters of an address are text. The server says which of them it does not understand. */
export type TextQueryOf<Id extends OperationId> = { [name in keyof QueryOf<Id>]?: string };

/** The address of a list as CSV, all of it. A link cannot set `Accept`. */
export function csvOf<Id extends OperationId>(
  id: Id,
  input: Omit<InputOf<Id>, 'query'>,
  query?: TextQueryOf<Id>,
): string {
  return requestOf(id, { ...input, query: { ...query, format: 'csv' } } as never).path;
}

/** The same reply as CSV, to be saved. */
export async function readCsv<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<Blob> {
  const response = await reach(requestOf(id, input).path, {
    headers: { accept: 'text/csv' },
    credentials: 'same-origin',
  });
  if (!response.ok) throw await problemFrom(response);
  return response.blob();
}

/** One of the OpenAPI documents, which are no operations of the API that they describe. */
export function readDocument(path: string, signal?: AbortSignal): Promise<unknown> {
  return exchange({ method: 'GET', path, body: undefined }, signal);
}

async function exchange(
  { method, path, body }: OperationRequest,
  signal?: AbortSignal,
): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['x-bellhop-console'] = '1';
  if (isLeftAlone()) headers['x-bellhop-background'] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await reach(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await problemFrom(response);
  noteChange({ method, path, body });
  if (response.status === 204) return undefined;
  try {
    return await response.json();
  } catch (error) {
    throw signal?.aborted ? error : asProblem(error);
  }
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, init);
    if (isGatewayAlone(response)) throw new Error('Only a proxy answered.');
    noteAnswer();
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    noteSilence();
    throw new Problem(0, 'unreachable', init.method === 'GET' ? UNREAD : UNCHANGED);
  }
}

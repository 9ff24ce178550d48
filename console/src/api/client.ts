/**
 * One HTTP call to the back office, signed in by the session cookie. Pages of other sites cannot send the
 * extra header, so they cannot change anything.
 */
import { isGatewayAlone, noteAnswer, noteSilence } from './connection.ts';
import { noteChange } from './last-change.ts';
import { isLeftAlone } from './presence.ts';
import { asProblem, Problem, problemFrom } from './problem.ts';

export type Query = Record<string, string | number | undefined>;

interface Call {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const UNREAD = 'The server cannot be reached. The page tries again by itself.';
const UNCHANGED =
  'The server cannot be reached, so nobody knows whether this was done. Check before you try again.';

/** Rejects with a `Problem`, or with the abort of the signal. */
export async function call<T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { query, body, signal }: Call = {},
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['x-bellhop-console'] = '1';
  if (isLeftAlone()) headers['x-bellhop-background'] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await reach(path + queryString(query), {
    method,
    headers,
    credentials: 'same-origin',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await problemFrom(response);
  noteChange({ method, path: path + queryString(query), body });
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw signal?.aborted ? error : asProblem(error);
  }
}

/** The same reply as CSV, to be saved. */
export async function readCsv(path: string, query: Query): Promise<Blob> {
  const response = await reach(path + queryString(query), {
    headers: { accept: 'text/csv' },
    credentials: 'same-origin',
  });
  if (!response.ok) throw await problemFrom(response);
  return response.blob();
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

export function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text && `?${text}`;
}

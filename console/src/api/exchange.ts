/**
 * Sends the calls of the pages, signed in by the session cookie. Pages of other sites cannot send the extra header, so
 * they cannot change anything. A call rejects with a `Problem`, or with the abort of its signal.
 */
import { words } from '../words/words.ts';
import { isGatewayAlone, noteAnswer, noteSilence } from './connection.ts';
import { isLeftAlone } from './presence.ts';
import { asProblem, Problem, problemFrom } from './problem.ts';

export interface Request {
  method: string;
  /** With the query. */
  path: string;
  /** Sent as JSON. */
  body: unknown;
}

/** `ownPages` is the header by which the server recognises changes that its own pages ask for. */
export function createExchange(ownPages: string) {
  return async function exchange(
    { method, path, body }: Request,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (method !== 'GET') headers[ownPages] = '1';
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
    if (response.status === 204) return undefined;
    try {
      return await response.json();
    } catch (error) {
      throw signal?.aborted ? error : asProblem(error);
    }
  };
}

/** The same reply as CSV, to be saved. */
export async function readAsCsv(path: string): Promise<Blob> {
  const response = await reach(path, {
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
    const { unread, unknownOutcome } = words.connection;
    throw new Problem(0, 'unreachable', init.method === 'GET' ? unread : unknownOutcome);
  }
}

/** A refused or failed call in a few words. What it means and what to do comes with each call from the server. */
import { pathOf } from '@bellhop/rules/endpoint-path';
import type { Call } from '../../api/types.ts';
import { words } from '../../words/words.ts';

export function codeInWords({ code, status }: Pick<Call, 'code' | 'status'>): string {
  const { codes, notGranted, notFound } = words.calls;
  if (code === 'endpoint_not_found') return status === 403 ? notGranted : notFound;
  // A newer node may know more codes.
  return (codes as Record<string, string>)[code] ?? code;
}

/** "search/hp/", or the path that is not an endpoint. */
export function targetOf({ endpoint, path }: Pick<Call, 'endpoint' | 'path'>): string {
  return (endpoint && pathOf(endpoint)) ?? path ?? words.calls.notARequest;
}

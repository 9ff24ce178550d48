/**
 * A request's path as it may stand in a log or a record. Queries hold what people search for, and the path of a link
 * holds the token that signs in, so neither is ever written.
 */

/** The parameter of a route that is a secret. A route that has it is logged as its pattern. */
export const SECRET_PARAMETER = ':token';

/** Ids have 32 characters, UUIDs 36 and tokens 43; the names of endpoints are shorter. */
const LONG_PARTS = /[^/]{33,}/g;

/** What a server that has routes tells of a request; the pattern is undefined if there is no such route. */
interface RoutedRequest {
  url: string;
  routeOptions: { url?: string | undefined };
}

export function loggedPath({ url, routeOptions: { url: pattern } }: RoutedRequest): string {
  const [path = ''] = url.split('?');
  if (pattern === undefined) return loggedUnknownPath(path);
  return pattern.includes(SECRET_PARAMETER) ? pattern : path;
}

/**
 * For a path that nobody here serves. It may still be one of ours that was sent to the wrong server, such as a link to
 * the portal, or have an API key in it: whatever is long enough to be a secret is left out.
 */
export function loggedUnknownPath(path: string): string {
  return path.replace(LONG_PARTS, '…');
}

/** Requests as curl commands for a POSIX shell. A command never contains a secret: it names variables instead. */
export interface Request {
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body?: string | undefined;
}

export function curlOf({ method, url, headers, body }: Request): string {
  const parts = [
    method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** A call of the support API, signed in with the token in `$BELLHOP_TOKEN`. */
export function apiCall(
  origin: string,
  { method, path, body }: { method: string; path: string; body?: unknown },
): string {
  const [first, ...rest] = curlOf({
    method,
    url: `${origin}${path}`,
    headers: body === undefined ? [] : [['Content-Type', 'application/json']],
    body: body === undefined ? undefined : JSON.stringify(body, withoutSecrets),
  }).split(' \\\n  ');
  return [first, TOKEN_HEADER, ...rest].join(' \\\n  ');
}

/** In double quotes, so that the shell fills in the token. */
export const TOKEN_HEADER = '-H "Authorization: Bearer $BELLHOP_TOKEN"';

const SECRETS = /^(api_key|token|secret|password)$/;

function withoutSecrets(name: string, value: unknown): unknown {
  return SECRETS.test(name) && typeof value === 'string' ? '…' : value;
}

/** Nothing is special inside single quotes, and a single quote itself goes between two quoted parts. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

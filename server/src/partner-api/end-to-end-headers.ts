/** Which headers a proxy passes on (RFC 9110 section 7.6.1), in node:http's flat name-value lists. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Said anew or on purpose not said to the upstream: who is calling is Bellhop's to tell, and a caller
 * must not be able to tell it in Bellhop's place.
 */
const NOT_FROM_CALLERS = new Set([
  'host',
  'authorization',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
]);

const NOT_FROM_UPSTREAM = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy']);

export function requestHeadersToPass(raw: readonly string[], allowDebugMode: boolean): string[] {
  return filtered(raw, (name) => {
    // Programs that read headers from variables (CGI, WSGI) take x_bellhop_… for the same.
    if (NOT_FROM_CALLERS.has(name) || /^x[-_]bellhop[-_]/.test(name)) return false;
    return name !== 'x-debug-mode' || allowDebugMode;
  });
}

export function replyHeadersToPass(raw: readonly string[]): string[] {
  return filtered(raw, (name) => !NOT_FROM_UPSTREAM.has(name) && !name.startsWith('x-ratelimit-'));
}

function filtered(raw: readonly string[], wanted: (name: string) => boolean): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named?.has(lower) || !wanted(lower)) continue;
    passed.push(name, raw[i + 1] as string);
  }
  return passed;
}

/** `Connection: close, X-Foo` makes X-Foo a header for this hop alone. */
function namedByConnection(raw: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    if ((raw[i] as string).toLowerCase() !== 'connection') continue;
    const value = (raw[i + 1] as string).toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const name of value.split(',')) named.add(name.trim());
  }
  // The length frames the body; nobody may have it left out.
  named?.delete('content-length');
  return named;
}

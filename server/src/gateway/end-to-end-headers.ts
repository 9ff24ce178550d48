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

/** Only Bellhop may set these, or it answers them itself. */
const NOT_FROM_CALLERS = new Set([
  'host',
  'authorization',
  'expect',
  'forwarded',
  'x-request-id',
  // Bellhop adds the trace itself.
  'traceparent',
  'tracestate',
  // The caller's address as other proxies name it.
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  // Some frameworks use these as the path, which would bypass the endpoint's grant.
  'x-original-url',
  'x-rewrite-url',
  // A CGI program finds it as HTTP_PROXY and sends its own requests there ("httpoxy").
  'proxy',
]);

const REMEMBERED_NAMES = 1_000;

const NOT_FROM_UPSTREAM = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy']);

/**
 * Programs that read headers from variables (CGI, WSGI) cannot tell X_Bellhop_Key_Id from
 * X-Bellhop-Key-Id, so no name with an underscore passes; nginx does the same by default.
 */
const fromCaller = remembering((name) => {
  if (name.includes('_')) return false;
  if (name.startsWith('x-bellhop-') || name.startsWith('x-forwarded-')) return false;
  return !NOT_FROM_CALLERS.has(name);
});
const fromCallerWithoutDebugMode = remembering(
  (name) => name !== 'x-debug-mode' && fromCaller(name),
);
const fromUpstream = remembering(
  (name) => !NOT_FROM_UPSTREAM.has(name) && !name.startsWith('x-ratelimit-'),
);

export function requestHeadersToPass(raw: readonly string[], allowDebugMode: boolean): string[] {
  return filtered(raw, allowDebugMode ? fromCaller : fromCallerWithoutDebugMode);
}

export function replyHeadersToPass(raw: readonly string[]): string[] {
  return filtered(raw, fromUpstream);
}

function filtered(raw: readonly string[], passes: (name: string) => boolean): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    if (!passes(name) || named?.has(name.toLowerCase())) continue;
    passed.push(name, raw[i + 1] as string);
  }
  return passed;
}

/** The same few names come with every call, so each is looked at once. */
function remembering(rule: (lowerCaseName: string) => boolean): (name: string) => boolean {
  const verdicts = new Map<string, boolean>();
  return (name) => {
    let passes = verdicts.get(name);
    if (passes === undefined) {
      const lower = name.toLowerCase();
      passes = !HOP_BY_HOP.has(lower) && rule(lower);
      if (verdicts.size < REMEMBERED_NAMES) verdicts.set(name, passes);
    }
    return passes;
  };
}

/** `Connection: close, X-Foo` makes X-Foo a header of this hop only. */
function namedByConnection(raw: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    const header = raw[i] as string;
    if (header.length !== 10 || header.toLowerCase() !== 'connection') continue;
    const value = (raw[i + 1] as string).toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const name of value.split(',')) named.add(name.trim());
  }
  // The length frames the body, so it is always passed on.
  named?.delete('content-length');
  return named;
}

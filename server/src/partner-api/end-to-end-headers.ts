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
  'x-real-ip',
  'x-request-id',
]);

const REMEMBERED_NAMES = 1_000;

const NOT_FROM_UPSTREAM = new Set(['x-request-id', 'ratelimit', 'ratelimit-policy']);

/** Programs that read headers from variables (CGI, WSGI) take x_bellhop_… for the same. */
const fromCaller = remembering((name) => {
  const read = name.replaceAll('_', '-');
  if (read.startsWith('x-bellhop-') || read.startsWith('x-forwarded-')) return false;
  return !NOT_FROM_CALLERS.has(read) && !HOP_BY_HOP.has(read);
});
const fromCallerWithoutDebugMode = remembering(
  (name) => name.replaceAll('_', '-') !== 'x-debug-mode' && fromCaller(name),
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

/** The same few names come with every call, so each is judged once. */
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

/** `Connection: close, X-Foo` makes X-Foo a header for this hop alone. */
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
  // The length frames the body; nobody may have it left out.
  named?.delete('content-length');
  return named;
}

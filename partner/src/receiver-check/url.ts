/** Reads the URL of a receiver. Whether its address may be called is another question, which the server asks. */

export const LONGEST_URL = 2_048;

export interface UrlProblem {
  code:
    | 'receiver_url'
    | 'receiver_url_too_long'
    | 'receiver_scheme'
    | 'receiver_user_info'
    | 'receiver_fragment'
    | 'receiver_port';
  message: string;
}

/** The URL parser drops tabs and line breaks and turns `\` into `/`, which nobody ever means. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const MISLEADING = /[\u0000-\u0020\u007f\\]/;
/** A host, perhaps with a port and a path. The URL parser takes `localhost:9000` for the scheme `localhost:`. */
const NO_SCHEME = /^(?!https?:)[a-z0-9][a-z0-9.-]*(:\d+)?([/?][^\s\\]*)?$/i;
const USER_INFO = /^[a-z]+:\/*[^/?#]*@/i;

export function readReceiverUrl(
  text: string,
): { ok: true; url: URL } | { ok: false; problem: UrlProblem } {
  if (text.length > LONGEST_URL) {
    return problem('receiver_url_too_long', 'The URL is longer than 2,048 characters. Shorten it.');
  }
  if (NO_SCHEME.test(text)) {
    return problem(
      'receiver_url',
      `The URL has no scheme. Write https://${text} (or http:// for a receiver on your own network).`,
    );
  }
  const url = MISLEADING.test(text) ? undefined : parsed(text);
  if (!url) {
    return problem('receiver_url', 'This is not a URL. Give one such as https://example.com/hook.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return problem('receiver_scheme', `${url.protocol} can't be called. Use https.`);
  }
  if (USER_INFO.test(text)) {
    return problem(
      'receiver_user_info',
      'The URL contains a user name or password. Leave it out: webhooks are signed instead.',
    );
  }
  if (text.includes('#')) {
    return problem('receiver_fragment', 'The URL contains a fragment (#…). Leave it out.');
  }
  if (url.port === '0') return problem('receiver_port', 'Port 0 cannot be called. Use 443.');
  if (url.href.length > LONGEST_URL) {
    return problem('receiver_url_too_long', 'The URL is longer than 2,048 characters. Shorten it.');
  }
  return { ok: true, url };
}

/** Node 20.10 has no URL.parse. */
function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function problem(code: UrlProblem['code'], message: string): { ok: false; problem: UrlProblem } {
  return { ok: false, problem: { code, message } };
}

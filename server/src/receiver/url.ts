import { isIP } from 'node:net';
import type { Cidr } from '../addresses/addresses.ts';
import { requirementFor, vetAddresses } from './policy.ts';
import type { Resolve } from './resolve.ts';

/**
 * Checks a receiver URL at registration. This helps the support team: they notice a wrong URL while they
 * are still on the phone. What protects us is the same check at every dial.
 */
export interface UrlProblem {
  code:
    | 'receiver_url'
    | 'receiver_url_too_long'
    | 'receiver_scheme'
    | 'receiver_user_info'
    | 'receiver_fragment'
    | 'receiver_port'
    | 'receiver_unresolved'
    | 'receiver_address';
  message: string;
}

export type CheckedUrl = { ok: true; url: string } | { ok: false; problem: UrlProblem };

export const LONGEST_URL = 2_048;
/** The URL parser drops tabs and line breaks and turns `\` into `/`, which nobody ever means. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const MISLEADING = /[\u0000-\u0020\u007f\\]/;
/** A host, perhaps with a port and a path. The URL parser takes `localhost:9000` for the scheme `localhost:`. */
const NO_SCHEME = /^(?!https?:)[a-z0-9][a-z0-9.-]*(:\d+)?([/?][^\s\\]*)?$/i;
const USER_INFO = /^[a-z]+:\/*[^/?#]*@/i;

/** The returned `url` is normalized: store this one, it is the one that will be dialled. */
export async function checkReceiverUrl(
  text: string,
  { allow, resolve }: { allow: readonly Cidr[]; resolve: Resolve },
): Promise<CheckedUrl> {
  if (text.length > LONGEST_URL) {
    return problem('receiver_url_too_long', 'The URL is longer than 2,048 characters. Shorten it.');
  }
  if (NO_SCHEME.test(text)) {
    return problem(
      'receiver_url',
      `The URL has no scheme. Write https://${text} (or http:// for a receiver on your own network).`,
    );
  }
  if (MISLEADING.test(text) || !URL.canParse(text)) {
    return problem('receiver_url', 'This is not a URL. Give one such as https://example.com/hook.');
  }
  const url = new URL(text);
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

  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  if (addresses.length === 0) {
    return problem('receiver_unresolved', `${host} has no address. Check the name for typos.`);
  }
  const requirement = requirementFor(url.protocol, Number(url.port) || 443);
  const refused = vetAddresses(host, addresses, requirement, allow);
  return refused ? { ok: false, problem: refused } : { ok: true, url: url.href };
}

function problem(code: UrlProblem['code'], message: string): CheckedUrl {
  return { ok: false, problem: { code, message } };
}

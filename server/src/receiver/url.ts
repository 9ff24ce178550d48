import { isIP } from 'node:net';
import { readReceiverUrl, type UrlProblem as UnreadableUrl } from '@bellhop/partner/receiver-check';
import type { Cidr } from '../base/addresses/addresses.ts';
import { type AddressProblem, requirementFor, vetAddresses } from './policy.ts';
import type { Resolve } from './resolve.ts';

/**
 * Checks a receiver URL at registration. This helps the support team: they notice a wrong URL while they
 * are still on the phone. What protects us is the same check at every dial.
 */
export interface UrlProblem {
  code: UnreadableUrl['code'] | AddressProblem['code'] | 'receiver_unresolved';
  message: string;
}

export type CheckedUrl = { ok: true; url: string } | { ok: false; problem: UrlProblem };

/** The returned `url` is normalized: store this one, it is the one that will be dialled. */
export async function checkReceiverUrl(
  text: string,
  { allow, resolve }: { allow: readonly Cidr[]; resolve: Resolve },
): Promise<CheckedUrl> {
  const read = readReceiverUrl(text);
  if (!read.ok) return read;
  const { url } = read;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  if (addresses.length === 0) {
    const message = `${host} has no address. Check the name for typos.`;
    return { ok: false, problem: { code: 'receiver_unresolved', message } };
  }
  const requirement = requirementFor(url.protocol, Number(url.port) || 443);
  const refused = vetAddresses(host, addresses, requirement, allow);
  return refused ? { ok: false, problem: refused } : { ok: true, url: url.href };
}

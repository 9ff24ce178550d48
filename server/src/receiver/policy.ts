import type { Cidr } from '../base/addresses/addresses.ts';
import { judgeAddress } from './address.ts';

/**
 * Which addresses are allowed, given the scheme and port of the URL. The rule applies at registration and
 * at every dial, because settings and DNS records change.
 */
export type Requirement = 'public' | 'listed_for_http' | 'listed_for_port';

export interface AddressProblem {
  code: 'receiver_address' | 'receiver_scheme' | 'receiver_port';
  message: string;
}

/** Below this port, receivers may only use 443; see `requirementFor`. */
const FIRST_UNPRIVILEGED_PORT = 1_024;

/**
 * Ports below 1024 belong to mail, SSH and the like. A webhook to one is a mistake, or an attempt to make
 * us attack someone else. People do run web servers on ports from 1024 on (8443, 4443, 9443). Addresses
 * that the operator listed may use plain HTTP and any port.
 */
export function requirementFor(protocol: string, port: number): Requirement {
  if (protocol !== 'https:') return 'listed_for_http';
  if (port !== 443 && port < FIRST_UNPRIVILEGED_PORT) return 'listed_for_port';
  return 'public';
}

/** One forbidden address refuses them all, because the next lookup may return it first. */
export function vetAddresses(
  host: string,
  addresses: readonly string[],
  requirement: Requirement,
  allow: readonly Cidr[],
): AddressProblem | undefined {
  for (const address of addresses) {
    const kind = judgeAddress(address, allow);
    if (kind === 'listed') continue;
    if (kind === 'blocked') {
      const subject = host === address ? address : `${host} resolves to ${address}, which`;
      return {
        code: 'receiver_address',
        message: `${subject} is not a public address. Use a receiver that the internet can reach, or ask the operator to allow this address.`,
      };
    }
    if (requirement === 'listed_for_http') {
      return {
        code: 'receiver_scheme',
        message: `${host} is called over http, which is open only to addresses that the operator has allowed. Use https.`,
      };
    }
    if (requirement === 'listed_for_port') {
      return {
        code: 'receiver_port',
        message: `${host} is called on a reserved port. Use port 443, or one from 1024 on.`,
      };
    }
  }
  return undefined;
}

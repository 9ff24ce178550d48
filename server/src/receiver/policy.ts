import ipaddr from 'ipaddr.js';
import {
  type Address,
  type Cidr,
  isAddressInside,
  readAddress,
} from '../base/addresses/addresses.ts';

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

/**
 * Which addresses a receiver may have. A midoffice's URL is chosen by a stranger and dialled from
 * inside our network, so everything that IANA's special-purpose registries do not call global is
 * refused, in every form: an IPv4 address inside an IPv6 one is judged as the IPv4 address.
 * `listed` is an operator's exception, public or not. It covers only the networks that were named: a
 * translated address (NAT64, 6to4) goes to a gateway, not to the IPv4 address inside it.
 */
type AddressKind = 'public' | 'listed' | 'blocked';

/**
 * All other IPv6 ranges are special or unassigned. ipaddr.js alone treats `::7f00:1` (IPv4-compatible),
 * `4000::1` and the like as ordinary addresses.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** A public address, but answered by the host of a virtual machine (Azure's metadata service). */
const CLOUD_INTERNAL = ipaddr.parseCIDR('168.63.129.16/32');

const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

export function judgeAddress(text: string, allow: readonly Cidr[]): AddressKind {
  // A resolver's answer in any but the plain spelling, or with a zone, is not interpreted.
  const address = readAddress(text);
  if (!address) return 'blocked';
  if (isAddressInside(address, allow)) return 'listed';
  return isPublic(embedded(address) ?? address) ? 'public' : 'blocked';
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIPv4(address) ? !address.match(CLOUD_INTERNAL) : address.match(GLOBAL_UNICAST);
}

/** Teredo embeds one too, but is refused as a whole: its prefix is not global. */
function embedded(address: Address): ipaddr.IPv4 | undefined {
  if (isIPv4(address)) return undefined;
  if (address.match(NAT64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  }
  if (address.match(SIX_TO_FOUR)) return new ipaddr.IPv4(address.toByteArray().slice(2, 6));
  return undefined;
}

function isIPv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}

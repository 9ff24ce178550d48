import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses a receiver may have. A midoffice's URL is chosen by a stranger and dialled from
 * inside our network, so everything that IANA's special-purpose registries do not call global is
 * refused, in whatever wrapping: an IPv4 address inside an IPv6 one is judged as the IPv4 address.
 */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;
type Address = ReturnType<typeof ipaddr.parse>;

/** `listed`: an operator's exception, public or not. */
export type AddressKind = 'public' | 'listed' | 'blocked';

/**
 * Everything else in IPv6 is special or unassigned; ipaddr.js by itself takes `::7f00:1`
 * (IPv4-compatible), `4000::1` and their like for ordinary addresses.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Public by number, yet answered by the host that a virtual machine runs on (Azure's metadata). */
const CLOUD_INTERNAL = ipaddr.parseCIDR('168.63.129.16/32');

const IPV4_MAPPED = ipaddr.parseCIDR('::ffff:0:0/96');
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');

export function judgeAddress(text: string, allow: readonly Cidr[]): AddressKind {
  // A resolver's answer in any but the plain spelling, or with a zone, is not to be interpreted.
  if (isIP(text) === 0 || text.includes('%')) return 'blocked';
  const address = parse(text);
  const inner = embedded(address);
  if (isListed(address, allow) || (inner && isListed(inner, allow))) return 'listed';
  return isPublic(inner ?? address) ? 'public' : 'blocked';
}

/**
 * ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`, which is another address; the URL parser writes
 * IPv6 without dots, and correctly.
 */
function parse(text: string): Address {
  const dotted = text.includes(':') && text.includes('.');
  return ipaddr.parse(dotted ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIPv4(address) ? !address.match(CLOUD_INTERNAL) : address.match(GLOBAL_UNICAST);
}

function isListed(address: Address, allow: readonly Cidr[]): boolean {
  return allow.some((cidr) => cidr[0].kind() === address.kind() && address.match(cidr));
}

/** Teredo embeds one too, but is refused as a whole: its prefix is not global. */
function embedded(address: Address): ipaddr.IPv4 | undefined {
  if (isIPv4(address)) return undefined;
  if (address.match(IPV4_MAPPED) || address.match(NAT64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  }
  if (address.match(SIX_TO_FOUR)) return new ipaddr.IPv4(address.toByteArray().slice(2, 6));
  return undefined;
}

function isIPv4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}

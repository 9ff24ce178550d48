/**
 * IP addresses and networks, with one meaning each. An IPv4 address inside an IPv6 one
 * (`::ffff:192.0.2.1`, as a dual-stack socket shows it) is that IPv4 address, and a network of such
 * addresses is that IPv4 network. Otherwise the two families are separate: `::/0` contains no IPv4 address.
 */
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** Every address of both families. */
export const EVERYWHERE: readonly Cidr[] = [
  [ipaddr.IPv4.parse('0.0.0.0'), 0],
  [ipaddr.IPv6.parse('::'), 0],
];

/** Undefined for anything but the plain spelling of an address, without a zone. */
export function readAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const address = ipaddr.parse(withoutDots(text));
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address;
}

/**
 * ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`, which is another address. The URL parser writes
 * IPv6 without dots, and correctly.
 */
function withoutDots(text: string): string {
  if (!text.includes(':') || !text.includes('.')) return text;
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** An address, a slash and a length; or a single address, which is a network of one. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const network = readAddress(address);
  if (!network || rest.length > 0) return undefined;
  const isMapped = network instanceof ipaddr.IPv4 && address.includes(':');
  const longest = address.includes(':') ? 128 : 32;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > longest)) {
    return undefined;
  }
  const bits = length === undefined ? longest : Number(length);
  if (!isMapped) return [network, bits] as Cidr;
  return bits >= 96 ? [network, bits - 96] : [network.toIPv4MappedAddress(), bits];
}

/** A link-local caller's address comes with a zone (`fe80::1%eth0`), which no network names. */
export function isInside(text: string, cidrs: readonly Cidr[]): boolean {
  const address = readAddress(text.replace(/%.*$/, ''));
  return address !== undefined && isAddressInside(address, cidrs);
}

export function isAddressInside(address: Address, cidrs: readonly Cidr[]): boolean {
  return cidrs.some((cidr) => cidr[0].kind() === address.kind() && address.match(cidr));
}

/** One spelling for one caller, whether its connection is IPv4 or IPv4 inside IPv6. */
export function plainAddress(text: string): string {
  // `::ffff:1:192.0.2.1` is another address, and one with a zone is not interpreted.
  const isMapped = text.startsWith('::ffff:') && text.includes('.');
  if (isMapped && text.lastIndexOf(':') === 6 && !text.includes('%')) return text.slice(7);
  return /^[0:]*:ffff:/i.test(text) ? (readAddress(text)?.toString() ?? text) : text;
}

/** A caller can own a whole IPv6 /64, so it counts as one address. */
export function neighbourhood(address: string): string {
  // Without the zone: ipaddr.js throws at interface names such as `eth0.100` and `br-1a2b`.
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  return ipaddr.IPv6.parse(plain).toNormalizedString().split(':').slice(0, 4).join(':');
}

/** This machine's own addresses, which no other machine can reach. */
export const LOOPBACK: readonly Cidr[] = [
  parseCidr('127.0.0.0/8') as Cidr,
  parseCidr('::1/128') as Cidr,
];

/** `host` is an address or a name, or the host name of a URL. RFC 6761 reserves `localhost` for this machine. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isInside(host.replace(/^\[|\]$/g, ''), LOOPBACK);
}

/** Callers' addresses: one spelling for each, whether it is in a network, and who its neighbours are. */
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../config/values.ts';

/** The same IPv4 address however it is wrapped into an IPv6 one: it must count as one caller. */
export function plainAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7);
  return /^[0:]*:ffff:/i.test(address) ? ipaddr.process(address).toString() : address;
}

/** One caller can have all of an IPv6 /64, so that counts as one address. */
export function neighbourhood(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.parse(address).toNormalizedString().split(':').slice(0, 4).join(':');
}

export function isInside(address: string, cidrs: readonly Cidr[]): boolean {
  if (!isIP(address)) return false;
  // An IPv4 caller on a dual-stack socket shows as ::ffff:192.0.2.1.
  const parsed = ipaddr.process(address);
  return cidrs.some((cidr) => {
    const [network, bits] = plain(cidr);
    return network.kind() === parsed.kind() && parsed.match(network as never, bits);
  });
}

/** IPv4 networks may be written the IPv6 way too. */
function plain(cidr: Cidr): Cidr {
  const [network, bits] = cidr;
  if (!(network instanceof ipaddr.IPv6) || !network.isIPv4MappedAddress() || bits < 96) return cidr;
  return [network.toIPv4Address(), bits - 96];
}

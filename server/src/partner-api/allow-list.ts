import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Cidr, parseCidr } from '../config/values.ts';

/** From the stored JSON array of addresses and CIDRs; null lets every address in. */
export function allowListFrom(json: string | null): (address: string) => boolean {
  if (json === null) return () => true;
  const cidrs = (JSON.parse(json) as string[]).map(parseCidr).filter((cidr) => cidr !== undefined);
  return (address) => isInside(address, cidrs);
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

import ipaddr from 'ipaddr.js';
import { type Cidr, parseCidr } from '../config/values.ts';

/** From the stored JSON array of addresses and CIDRs; null lets every address in. */
export function allowListFrom(json: string | null): (address: string) => boolean {
  if (json === null) return () => true;
  const cidrs = (JSON.parse(json) as string[]).map(parseCidr).filter((cidr) => cidr !== undefined);
  return (address) => isInside(address, cidrs);
}

export function isInside(address: string, cidrs: readonly Cidr[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 caller on a dual-stack socket shows as ::ffff:192.0.2.1.
  const parsed = ipaddr.process(address);
  return cidrs.some(([network, bits]) => {
    const plain = ipaddr.process(network.toString());
    const plainBits = plain.kind() === network.kind() ? bits : Math.max(bits - 96, 0);
    return (
      plain.kind() === parsed.kind() && parsed.match(plain as ipaddr.IPv4 & ipaddr.IPv6, plainBits)
    );
  });
}

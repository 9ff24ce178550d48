import { isInside, parseCidr } from '../addresses/addresses.ts';

/** From the stored JSON array of addresses and CIDRs; null allows every address. */
export function allowListFrom(json: string | null): (address: string) => boolean {
  if (json === null) return () => true;
  const cidrs = (JSON.parse(json) as string[]).map(parseCidr).filter((cidr) => cidr !== undefined);
  return (address) => isInside(address, cidrs);
}

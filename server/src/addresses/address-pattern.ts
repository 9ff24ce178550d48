/** The spelling of an address or a network (CIDR) as a regular expression, for documents that only know those. */
const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4 = `${octet}(\\.${octet}){3}`;

const group = '[0-9A-Fa-f]{1,4}';
/** Up to seven groups, a double colon in place of the others, and again up to seven; eight without it. */
const ipv6 = [
  `(${group}:){7}${group}`,
  ...[7, 6, 5, 4, 3, 2, 1].map((before) => `(${group}:){1,${before}}${after(7 - before)}`),
  `:${after(7)}`,
  // An IPv4 address inside an IPv6 one.
  `::([Ff]{4}:)?${ipv4}`,
].join('|');

/** What follows the last colon before the gap: the second colon, or up to so many groups. */
function after(groups: number): string {
  return groups === 0 ? ':' : `(:|(:${group}){1,${groups}})`;
}

export const ADDRESS_OR_NETWORK = `^(${ipv4}(/(3[0-2]|[12]?[0-9]))?|(${ipv6})(/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`;

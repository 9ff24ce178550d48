/** The additional headers of a midoffice: what callers send and are shown of them. */

import type { Vault } from '../../base/sealing/vault.ts';
import {
  type HeaderValues,
  HIDDEN_VALUE,
  isReserved,
  LONGEST_HEADER_NAME,
  LONGEST_HEADER_VALUE,
  MOST_HEADER_CHARACTERS,
  MOST_HEADERS,
  openHeader,
  sealedHeadersIn,
  sealHeader,
  toStoredHeaders,
} from '../../delivery/webhook-headers.ts';
import { invalidField } from '../problem.ts';
import { Type } from '../type.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A receiver would drop spaces around a value. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/** Reading it needs the vault and what the midoffice has already: `headersColumn`. */
export const headersField = {
  type: 'text' as const,
  initial: null,
  shown: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: `Headers that go with every webhook, by name. Values are not shown: each is \`${HIDDEN_VALUE}\`.`,
  }),
  given: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: LONGEST_HEADER_VALUE },
    maxProperties: MOST_HEADERS,
    description: `Headers that go with every webhook, by name: all of them, so that one that is left out is removed. The value \`${HIDDEN_VALUE}\` leaves a header as it is.`,
  }),
  show: (stored: string | null) =>
    Object.fromEntries(Array.from(sealedHeadersIn(stored).keys(), (name) => [name, HIDDEN_VALUE])),
};

/** Throws a problem that names the header. It never quotes a value. */
export function checkHeaders(given: HeaderValues): void {
  const names = new Set<string>();
  let characters = 0;
  for (const [name, value] of Object.entries(given)) {
    const detail = wrongName(name, names) ?? wrongValue(value);
    if (detail !== undefined) throw invalidField(headerField(name), detail);
    names.add(name.toLowerCase());
    characters += name.length + value.length;
  }
  if (characters > MOST_HEADER_CHARACTERS) {
    const most = MOST_HEADER_CHARACTERS.toLocaleString('en');
    throw invalidField('/headers', `must not have more than ${most} characters in all`);
  }
}

function wrongName(name: string, earlier: ReadonlySet<string>): string | undefined {
  if (!TOKEN.test(name) || name.length > LONGEST_HEADER_NAME) {
    return `must have a name of 1 to ${LONGEST_HEADER_NAME} letters, digits and hyphens`;
  }
  if (isReserved(name)) return 'must have another name: Bellhop or HTTP itself sets this header';
  if (earlier.has(name.toLowerCase())) return 'must be given once: case does not matter in names';
  return undefined;
}

function wrongValue(value: string): string | undefined {
  if (value === HIDDEN_VALUE || VALUE.test(value)) return undefined;
  return 'must have a value of ASCII characters and spaces, without a space at either end';
}

const NO_VALUE = 'must have a value: this midoffice has no such header yet';

/** What is stored for checked headers. A value that stays the same keeps its sealed form. */
export function headersColumn(
  vault: Vault,
  midofficeId: string,
  given: HeaderValues,
  before: string | null,
): string | null {
  const kept = sealedHeadersIn(before);
  const sealed = Object.entries(given).map(([name, value]): [string, string] => {
    const known = kept.get(name);
    if (value === HIDDEN_VALUE) {
      if (known === undefined) throw invalidField(headerField(name), NO_VALUE);
      return [name, known];
    }
    const isSame = known !== undefined && openHeader(vault, midofficeId, name, known) === value;
    return [name, isSame ? known : sealHeader(vault, midofficeId, name, value)];
  });
  return toStoredHeaders(new Map(sealed));
}

/** The headers whose values are others than before, for the audit, which shows names alone. */
export function changedHeaders(before: string | null, after: string | null): string[] {
  const kept = sealedHeadersIn(before);
  return [...sealedHeadersIn(after)].flatMap(([name, sealed]) =>
    kept.has(name) && kept.get(name) !== sealed ? [name] : [],
  );
}

function headerField(name: string): string {
  return `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

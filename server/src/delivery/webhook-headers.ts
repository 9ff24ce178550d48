/**
 * Headers that go with every webhook of a midoffice beside Bellhop's own, such as the credentials of a gateway in front
 * of its receiver. They are stored as JSON: the names as they are, each value sealed under the midoffice and the name.
 */
import type { Vault } from '../base/sealing/vault.ts';

/** Marks a rehearsal (rehearse.ts). */
export const REHEARSAL_HEADER = 'x-bellhop-rehearsal';

export const MOST_HEADERS = 20;
export const LONGEST_HEADER_NAME = 100;
export const LONGEST_HEADER_VALUE = 4_096;
/** Names and values together: most servers refuse a request with more than 8 KiB of headers. */
export const MOST_HEADER_CHARACTERS = 6_144;

/** A value that is not shown. No header can have it, so whoever sends it back leaves the value as it is. */
export const HIDDEN_VALUE = '…';

/** What Bellhop sets itself, and what frames a request or belongs to one connection. */
export const RESERVED_HEADERS: readonly string[] = [
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  REHEARSAL_HEADER,
];
export const RESERVED_BEGINNINGS: readonly string[] = ['content-', 'proxy-', 'webhook-'];

export function isReserved(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    RESERVED_HEADERS.includes(lower) ||
    RESERVED_BEGINNINGS.some((beginning) => lower.startsWith(beginning))
  );
}

export type HeaderValues = Readonly<Record<string, string>>;

/** The sealed values by name. */
export function sealedHeadersIn(stored: string | null): Map<string, string> {
  return new Map(stored === null ? [] : Object.entries(JSON.parse(stored) as HeaderValues));
}

export function toStoredHeaders(sealed: ReadonlyMap<string, string>): string | null {
  return sealed.size === 0 ? null : JSON.stringify(Object.fromEntries(sealed));
}

export function sealHeader(vault: Vault, midofficeId: string, name: string, value: string): string {
  return vault.seal(sealedUnder(midofficeId, name), value);
}

export function openHeader(vault: Vault, midofficeId: string, name: string, sealed: string) {
  return vault.open(sealedUnder(midofficeId, name), sealed);
}

export function openHeaders(
  vault: Vault,
  midofficeId: string,
  stored: string | null,
): Record<string, string> {
  return Object.fromEntries(
    Array.from(sealedHeadersIn(stored), ([name, sealed]) => [
      name,
      openHeader(vault, midofficeId, name, sealed),
    ]),
  );
}

/** Neither has a space, and the id of an API key is a number, so no two values are sealed under the same. */
export function sealedUnder(midofficeId: string, name: string): string {
  return `${midofficeId} ${name}`;
}

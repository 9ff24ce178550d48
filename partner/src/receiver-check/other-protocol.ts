/** Recognises servers that expect another protocol on their port: HTTP/2, or HTTP inside TLS. */
import { explainError } from './explain-error.ts';
import { type Failure, failureOf, HTTPS_ONLY, NOT_HTTP, type ReceiverFailure } from './failures.ts';

/** The bytes that a reply begins with; undefined stands for any byte. */
type Beginning = readonly (number | undefined)[];

/** An alert of any version: type 21, version 3.x, two bytes long (RFC 8446, section 5.1). */
const TLS_ALERT: Beginning = [0x15, 0x03, undefined, 0, 2];
/** A SETTINGS frame: its length, type 4, no flags, stream 0 (RFC 9113). An HTTP/2 server sends it first. */
const HTTP2_SETTINGS: Beginning = [0, undefined, undefined, 4, 0, 0, 0, 0, 0];

const KNOWN: readonly [Beginning, Failure][] = [
  [TLS_ALERT, HTTPS_ONLY],
  [HTTP2_SETTINGS, failureOf('http2_only')],
];

/** What a reply means that is not HTTP/1.1; undefined if more of it has to arrive to tell. */
export function otherProtocol(bytes: Uint8Array): Failure | undefined {
  const known = KNOWN.find(([beginning]) =>
    beginning.every((byte, at) => byte === undefined || byte === (bytes[at] ?? byte)),
  );
  if (!known) return NOT_HTTP;
  const [beginning, failure] = known;
  return bytes.length < beginning.length ? undefined : failure;
}

/** nginx and the load balancers built on it, Apache, Go (Caddy, Traefik), Tomcat. */
const ASKS_FOR_HTTPS =
  /plain HTTP request was sent to HTTPS port|plain HTTP to an SSL-enabled server port|HTTP request to an HTTPS server|combination of host and port requires TLS/i;

/** Some servers do not send an alert, but answer plain HTTP with 400 and a sentence. */
export function asksForHttps(status: number, reply: string): boolean {
  return status === 400 && ASKS_FOR_HTTPS.test(reply);
}

/** Only a server that speaks TLS can make a handshake fail like this. */
const SPEAKS_TLS: ReadonlySet<ReceiverFailure> = new Set([
  'tls',
  'http2_only',
  'certificate_self_signed',
  'certificate_untrusted',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_name',
]);

/**
 * Most servers just close or reset the connection when they get plain HTTP instead of TLS. To tell that from
 * a crash, begin a handshake with the same address, send nothing more, and ask this what came of it.
 */
export function failureWithoutTls(handshake: Error | null): Failure | undefined {
  const speaksTls = !handshake || SPEAKS_TLS.has(explainError(handshake).code);
  return speaksTls ? HTTPS_ONLY : undefined;
}

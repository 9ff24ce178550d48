/** Requests that a server must refuse by RFC 9112, but node:http accepts if `requireHostHeader` is off. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

export function isValidMessage(request: IncomingMessage): boolean {
  const { httpVersion, headers, rawHeaders, url = '/' } = request;
  const hosts = countHosts(rawHeaders);
  const isHttp = httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
  const coding = headers['transfer-encoding'];
  // Any other coding would be neither decoded nor passed on.
  const isFramed = coding === undefined || coding.toLowerCase() === 'chunked';
  return isHttp && isFramed && isHost(headers.host ?? '') && isTarget(url);
}

/** Every server must accept `GET http://host/path` as well. */
const ORIGIN = /^https?:\/\/([^/?#]*)/i;

/** The host in a target must not be empty, unlike that in the header. */
function isTarget(target: string): boolean {
  if (target.startsWith('/')) return true;
  const host = ORIGIN.exec(target)?.[1];
  return host === undefined || (/^[^:]/.test(host) && isHost(host));
}

export function withoutOrigin(target: string): string {
  return target.startsWith('/') ? target : target.replace(ORIGIN, '');
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** RFC 3986: a name, which may be empty or percent-encoded, and a port, which may be empty, too. */
const NAME = /^[\w.~!$&'()*+,;=-]*(?:%[\dA-Fa-f]{2}[\w.~!$&'()*+,;=-]*)*(?::\d*)?$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d*)?$/;
/** An address of a version that nobody has defined yet. */
const FUTURE = /^v[\dA-Fa-f]+\.[\w.~!$&'()*+,;=:-]+$/i;

export function isHost(value: string): boolean {
  if (!value.startsWith('[')) return NAME.test(value);
  const literal = IN_BRACKETS.exec(value)?.[1];
  return literal !== undefined && isLiteral(literal);
}

/** A zone (`fe80::1%eth0`) means something only on the caller's machine. */
function isLiteral(literal: string): boolean {
  return (isIPv6(literal) && !literal.includes('%')) || FUTURE.test(literal);
}

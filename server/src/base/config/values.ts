/**
 * Readers for the kinds of value a setting can have. Each returns the value or throws a
 * `BadValue` whose message completes the sentence "BELLHOP_X …".
 */
import { isIP } from 'node:net';
import { readDuration } from '@bellhop/partner/duration';
import { type Cidr, isInside, isLoopback, parseCidr } from '../addresses/addresses.ts';

export class BadValue extends Error {}

/**
 * A reader that says what it takes at most, as a regular expression that Go understands too: the Helm chart refuses the
 * rest before a pod does. It may take less.
 */
export interface Formed<T> {
  (text: string): T;
  form: string;
}

function formed<T>(form: string, read: (text: string) => T): Formed<T> {
  return Object.assign(read, { form });
}

const DURATION = '^[0-9]{1,9}(ms|s|m|h|d)$';
/** A schedule with more steps is a typing error. */
const MOST_RETRIES = 1_000;

export const duration = formed(DURATION, (text) => {
  const read = readDuration(text);
  if (typeof read !== 'number') throw new BadValue(read.problem);
  return read;
});

export const positiveDuration = formed(DURATION, (text) => {
  const ms = duration(text);
  if (ms === 0) throw new BadValue('must be longer than 0');
  return ms;
});

/** A balancer that needs longer to notice is broken. */
const LONGEST_DRAIN_DELAY_MS = 10 * 60_000;

export const drainDelay = formed(DURATION, (text) => {
  const ms = duration(text);
  if (ms > LONGEST_DRAIN_DELAY_MS) throw new BadValue(`must be at most 10m, not "${text}"`);
  return ms;
});

/** Changes of keys are kept for a day, so that a node which comes back has missed none. */
const LONGEST_WITHOUT_DATABASE_MS = 12 * 3_600_000;

export const timeWithoutDatabase = formed(DURATION, (text) => {
  const ms = duration(text);
  if (ms > LONGEST_WITHOUT_DATABASE_MS) throw new BadValue(`must be at most 12h, not "${text}"`);
  return ms;
});

const SHORTEST_RECHECK_MS = 60_000;
/** After that, people sign in again anyway. */
const LONGEST_RECHECK_MS = 12 * 3_600_000;

export const recheckTime = formed(DURATION, (text) => {
  const ms = duration(text);
  if (ms !== 0 && (ms < SHORTEST_RECHECK_MS || ms > LONGEST_RECHECK_MS)) {
    throw new BadValue(`must be 0s, or from 1m to 12h, not "${text}"`);
  }
  return ms;
});

/** `30s,60s,14x12h`: the waits before each retry, in milliseconds. */
export function retrySchedule(text: string): number[] {
  const waits: number[] = [];
  for (const part of text.split(',').map((part) => part.trim())) {
    const match = /^(?:(\d{1,4})x)?(\S+)$/.exec(part);
    const times = Number(match?.[1] ?? 1);
    if (!match || times === 0) {
      throw new BadValue(
        `must be waits such as 30s,60s,14x12h, but "${part}" is neither a wait nor a count of waits`,
      );
    }
    if (waits.length + times > MOST_RETRIES) {
      throw new BadValue(`must not have more than ${MOST_RETRIES} waits`);
    }
    const waitMs = duration(match[2] as string);
    for (let i = 0; i < times; i++) waits.push(waitMs);
  }
  return waits;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) {
    throw new BadValue(`must be a port from 0 to 65535, not "${text}"`);
  }
  return value;
}

export function wholeNumber(least: number, most: number): Formed<number> {
  const digits = `{${String(least).length},${String(most).length}}`;
  // With zeros in front, it may have more digits.
  return formed(`^0*[0-9]${digits}$`, (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least || value > most) {
      throw new BadValue(`must be a whole number from ${least} to ${most}, not "${text}"`);
    }
    return value;
  });
}

/** Linux lets a server listen on these, but nobody can connect to it. */
const GROUP_ADDRESSES = cidrs('224.0.0.0/4,255.255.255.255,ff00::/8');

export function host(text: string): string {
  const isName =
    text.length <= 253 &&
    text.split('.').every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(label)) &&
    // Otherwise it is an address with a mistake, such as 256.1.1.1.
    !/(^|\.)\d+$/.test(text);
  const isAddress = isIP(text) !== 0 && !isInside(text, GROUP_ADDRESSES);
  if (isAddress || isName) return text;
  throw new BadValue(`must be an address or a host name, not "${text}"`);
}

export function url(...protocols: string[]): (text: string) => string {
  const wanted = protocols.map((protocol) => `${protocol}//…`).join(' or ');
  return (text) => {
    // The message does not repeat the text, which may contain a password.
    if (!URL.canParse(text)) throw new BadValue(`must be an address of the form ${wanted}`);
    const parsed = new URL(text);
    if (!protocols.includes(parsed.protocol)) {
      throw new BadValue(`must begin with ${wanted}, not ${parsed.protocol}//`);
    }
    if (parsed.hostname === '' && !parsed.protocol.startsWith('postgres')) {
      throw new BadValue('must name a host');
    }
    return text;
  };
}

export interface ProxyAddress {
  host: string;
  port: number;
  /** The value of Proxy-Authorization. */
  authorization: string | undefined;
}

/** `http://[user:password@]host:port`. No message repeats the text, because of the password. */
export function proxyUrl(text: string): ProxyAddress {
  const parsed = new URL(url('http:')(text));
  const { hostname, port, username, password } = parsed;
  if (parsed.pathname !== '/' || parsed.search || parsed.hash) {
    throw new BadValue('must have nothing after the host and its port');
  }
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || 80,
    authorization:
      username || password
        ? `Basic ${Buffer.from([username, password].map(decoded).join(':')).toString('base64')}`
        : undefined,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadValue('has a user or a password with a % that is not written as %25');
  }
}

export function upstreamUrl(text: string): string {
  const parsed = new URL(url('http:', 'https:')(text));
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new BadValue('must have no user, query or fragment');
  }
  return text;
}

/** A comma-separated list of CIDRs; a single address is a range of one. */
export function cidrs(text: string): Cidr[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const cidr = parseCidr(part);
      if (!cidr)
        throw new BadValue(`must list addresses or CIDRs such as 10.0.0.0/8, not "${part}"`);
      return cidr;
    });
}

/** `none` is for operators who want to exclude what an unset value allows. */
export function cidrsOrNone(text: string): Cidr[] {
  return text === 'none' ? [] : cidrs(text);
}

export function oneOf<T extends string>(...words: T[]): Formed<T> {
  return formed(`^(${words.join('|')})$`, (text) => {
    if ((words as string[]).includes(text)) return text as T;
    throw new BadValue(`must be ${words.join(' or ')}, not "${text}"`);
  });
}

export function listOf<T extends string>(...words: T[]): Formed<T[]> {
  const read = oneOf(...words);
  const word = `\\s*(${words.join('|')})\\s*`;
  return formed(`^${word}(,${word})*$`, (text) => {
    const chosen = text.split(',').map((part) => read(part.trim() as T));
    return words.filter((word) => chosen.includes(word));
  });
}

/** The same, but it may also be empty or "none". */
export function listOrNone<T extends string>(...words: T[]): Formed<T[]> {
  const read = listOf(...words);
  return formed(`^$|^none$|${read.form}`, (text) =>
    text === '' || text === 'none' ? [] : read(text),
  );
}

export function dateRange(text: string): { from: string; until: string } {
  const [from = '', until = '', ...rest] = text.split('..');
  if (rest.length > 0 || !isDate(from) || !isDate(until) || until < from) {
    throw new BadValue(`must be two dates such as 2025-10-01..2025-12-31, not "${text}"`);
  }
  return { from, until };
}

/** An existing calendar day, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export function masterKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || key.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new BadValue('must be 32 bytes in base64, as `openssl rand -base64 32` prints them');
  }
  return key;
}

export function masterKeys(text: string): Buffer[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return masterKey(part);
      } catch {
        throw new BadValue(
          'must be master keys of 32 bytes in base64, separated by commas or line breaks',
        );
      }
    });
}

export function secretToken(text: string): string {
  if (/^[\x21-\x7e]{16,256}$/.test(text)) return text;
  throw new BadValue('must be 16 to 256 visible ASCII characters');
}

/** Where people sign in. Plain http would show their tokens to the network, so it must be this machine. */
export function issuerUrl(text: string): string {
  const parsed = new URL(url('http:', 'https:')(text));
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new BadValue('must have no user, query or fragment');
  }
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname)) {
    throw new BadValue('must begin with https://, except for a provider on this machine');
  }
  return text;
}

/** An address such as https://bellhop.example, without a path. */
export function originUrl(text: string): string {
  const parsed = new URL(upstreamUrl(text));
  if (parsed.pathname !== '/') throw new BadValue('must have no path');
  return parsed.origin;
}

/** What OAuth allows in client ids and secrets. The message does not repeat the text. */
export function printableAscii(text: string): string {
  if (/^[\x20-\x7e]{1,1024}$/.test(text)) return text;
  throw new BadValue('must be 1 to 1,024 printable ASCII characters');
}

export function scopes(text: string): string {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (!words.includes('openid')) throw new BadValue('must include the scope openid');
  return words.join(' ');
}

/** The roles of people, each of which may do more than the one before. */
export const personRoles = ['viewer', 'support', 'admin'] as const;
export type PersonRole = (typeof personRoles)[number];

/** `value=role,value=role`. A comma in a value is written as `\,`; the role follows the last equals sign. */
export function roleMap(text: string): Map<string, PersonRole> {
  const readRole = oneOf(...personRoles);
  const map = new Map<string, PersonRole>();
  for (const pair of text.split(/(?<!\\),/)) {
    const [, value = '', role = ''] = /^(.+)=([^=]*)$/.exec(pair.trim()) ?? [];
    if (value === '') {
      throw new BadValue(
        `must be pairs such as bellhop-admins=admin,support-team=support, but "${pair.trim()}" is not one`,
      );
    }
    map.set(value.trim().replaceAll('\\,', ','), readRole(role.trim() as PersonRole));
  }
  return map;
}

export function text(value: string): string {
  return value;
}

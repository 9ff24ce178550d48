/** The address of an environment's Redis: a server, Sentinels that know which server it is, or nodes of a cluster. */
import { BadValue } from './values.ts';

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26379;

export interface Endpoint {
  host: string;
  port: number;
}

/** If both are empty, nobody has to sign in; if only the user is, the default user does. */
export interface RedisUser {
  username: string;
  password: string;
}

export interface RedisAddress {
  isEncrypted: boolean;
  /** Of the servers with the data. */
  user: RedisUser;
  database: number;
  at:
    | { kind: 'server'; server: Endpoint }
    | { kind: 'sentinel'; sentinels: Endpoint[]; primaryName: string; sentinelUser: RedisUser }
    | { kind: 'cluster'; nodes: Endpoint[] };
}

const SENTINEL_OPTIONS = ['database', 'sentinel_user', 'sentinel_password'];

/** For the setting, which stays a text. */
export function redisUrl(text: string): string {
  redisAddress(text);
  return text;
}

/** Its messages do not repeat the text, which may contain passwords. */
export function redisAddress(text: string): RedisAddress {
  const match = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/([^/?#]*@)?([^/?#]*)(.*)$/s.exec(text);
  if (!match) {
    throw new BadValue(
      'must begin with redis://…, redis+sentinel://… or redis+cluster://…, or with rediss… for TLS',
    );
  }
  const [, scheme, kind, userInfo = '', hosts = '', rest] = match;
  if (!kind && hosts.includes(',')) {
    throw new BadValue('must name one host, unless it is redis+sentinel://… or redis+cluster://…');
  }
  const urls = hosts.split(',').map((host) => {
    const url = URL.parse(`redis://${userInfo}${host.trim()}${rest}`);
    if (!url) throw new BadValue('has a host or a port that cannot be');
    if (url.hostname === '') throw new BadValue('must name a host');
    return url;
  });
  const [{ username, password, pathname, search, searchParams, hash }] = urls as [URL];
  const endpoints = (port: number) => urls.map((url) => endpointOf(url, port));
  const about = {
    isEncrypted: scheme === 'rediss',
    user: { username: decoded(username), password: decoded(password) },
  };
  const path = pathname.slice(1);
  if (kind === 'sentinel') {
    if (path === '' || path.includes('/') || hash) {
      throw new BadValue('must end with the name that the Sentinels have for the primary: /name');
    }
    const option = [...searchParams.keys()].find((name) => !SENTINEL_OPTIONS.includes(name));
    if (option !== undefined) {
      throw new BadValue(`may only have ${SENTINEL_OPTIONS.join(', ')} after the ?`);
    }
    const optionOf = (name: string) => searchParams.get(name) ?? '';
    return {
      ...about,
      database: databaseIn(optionOf('database')),
      at: {
        kind,
        sentinels: endpoints(SENTINEL_PORT),
        primaryName: decoded(path),
        sentinelUser: {
          username: optionOf('sentinel_user'),
          password: optionOf('sentinel_password'),
        },
      },
    };
  }
  if (search || hash) throw new BadValue(AFTER_HOST);
  if (kind === 'cluster') {
    if (path !== '')
      throw new BadValue('must have nothing after the hosts: a cluster has no databases');
    return { ...about, database: 0, at: { kind, nodes: endpoints(REDIS_PORT) } };
  }
  const [server] = endpoints(REDIS_PORT) as [Endpoint];
  return { ...about, database: databaseIn(path), at: { kind: 'server', server } };
}

/** The same text for addresses that differ only in users and passwords; undefined if it is not an address. */
export function withoutRedisUsers(text: string): string | undefined {
  try {
    const { user: _, at, ...address } = redisAddress(text);
    return JSON.stringify({ ...address, at: { ...at, sentinelUser: undefined } });
  } catch (error) {
    if (error instanceof BadValue) return undefined;
    throw error;
  }
}

const AFTER_HOST = 'must have nothing but the number of a database after the host';

function databaseIn(text: string): number {
  if (!/^\d{0,9}$/.test(text)) throw new BadValue(AFTER_HOST);
  return Number(text);
}

function endpointOf({ hostname, port }: URL, defaultPort: number): Endpoint {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || defaultPort) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadValue('has a user, a password or a name with a % that is not written as %25');
  }
}

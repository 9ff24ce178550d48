import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** All addresses of a host, IPv4 first; rejects when there are none. */
export type Resolve = (host: string) => Promise<string[]>;

export interface ResolverOptions {
  /** The timeout of one try. */
  timeoutMs?: number;
  tries?: number;
  /** Name servers to use instead of the system's, such as `127.0.0.1:5353`. */
  servers?: readonly string[];
}

const HOSTS_FILE =
  process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/**
 * The hosts file, then DNS without `getaddrinfo`, which blocks one of the four threads in Node's pool
 * while a name server is slow: four receivers with slow DNS would block all lookups and the disk. The
 * price is that search domains do not apply; receivers have fully qualified names.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const { timeoutMs = 2_000, tries = 2, servers } = options;
  const dns = new Resolver({ timeout: timeoutMs, tries });
  if (servers) dns.setServers(servers);

  return async (host) => {
    const name = host.replace(/\.$/, '').toLowerCase();
    // RFC 6761: never ask DNS for localhost. Both addresses are vetted like any other.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const pinned = await fromHostsFile(name);
    if (pinned.length > 0) return pinned;
    const [v4, v6] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    const addresses = [v4, v6].flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length > 0) return addresses;
    throw v4.status === 'rejected' ? v4.reason : new Error(`No addresses for ${name}`);
  };
}

async function fromHostsFile(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  const addresses: string[] = [];
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (isIP(address) !== 0 && names.includes(name)) addresses.push(address);
  }
  return addresses;
}

import { isIP, type LookupFunction } from 'node:net';
import type { Cidr } from '../base/addresses/addresses.ts';
import type { ProxyAddress } from '../base/config/values.ts';
import { createDial, createSecure, type Dial, type DialTarget } from './dial.ts';
import { type AddressProblem, type Requirement, requirementFor, vetAddresses } from './policy.ts';
import type { Resolve } from './resolve.ts';
import { createTunnelDial } from './tunnel.ts';

export interface ConnectorOptions {
  allow: readonly Cidr[];
  resolve: Resolve;
  timeoutMs: number;
  /** Everything goes out through it, if there is one. */
  proxy?: ProxyAddress | undefined;
  /** Root certificates to trust instead of Node's; for tests. */
  ca?: string[] | undefined;
}

type DialRefusal = 'dns' | AddressRefusal;
type AddressRefusal = 'blocked_address' | 'plain_http' | 'reserved_port';

const REFUSALS: Readonly<Record<AddressProblem['code'], AddressRefusal>> = {
  receiver_address: 'blocked_address',
  receiver_scheme: 'plain_http',
  receiver_port: 'reserved_port',
};

/** Why no connection was attempted; the message goes into the attempt's record. */
export class DialRefused extends Error {
  readonly reason: DialRefusal;

  constructor(reason: DialRefusal, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** More than any honest host has. Each one that does not answer costs a quarter of a second. */
const MOST_ADDRESSES_TRIED = 8;

/**
 * Dials receivers. Our own `lookup` resolves names and vets the addresses, and Node dials only what it
 * returns. The name is resolved once, so DNS rebinding has no second lookup to exploit. Literal addresses
 * never reach `lookup` and are vetted before. SNI and the certificate check still use the name.
 */
export function createConnector(options: ConnectorOptions): Dial {
  const { allow, resolve, timeoutMs, proxy, ca } = options;
  const secure = createSecure(ca);

  function connectorFor(requirement: Requirement): Dial {
    if (proxy) {
      const addressesOf = ({ hostname }: DialTarget) =>
        isIP(hostname) === 0 ? lookup(hostname, requirement) : Promise.resolve([hostname]);
      return createTunnelDial({ proxy, addressesOf, secure });
    }
    return createDial({ lookup: guardedLookup(requirement), timeoutMs, secure });
  }

  function guardedLookup(requirement: Requirement): LookupFunction {
    return (host, { all }, callback) => {
      lookup(host, requirement).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = found;
          if (all || !first) callback(null, found);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, ''),
      );
    };
  }

  async function lookup(host: string, requirement: Requirement): Promise<string[]> {
    const addresses = await resolve(host).catch((cause) => {
      throw new DialRefused('dns', `The name ${host} could not be resolved.`, cause);
    });
    if (addresses.length === 0) throw new DialRefused('dns', `${host} has no address.`);
    const refused = vetAddresses(host, addresses, requirement, allow);
    if (refused) throw new DialRefused(REFUSALS[refused.code], refused.message);
    return addresses.slice(0, MOST_ADDRESSES_TRIED);
  }

  const connectors: Record<Requirement, Dial> = {
    public: connectorFor('public'),
    listed_for_http: connectorFor('listed_for_http'),
    listed_for_port: connectorFor('listed_for_port'),
  };

  return (target, callback) => {
    const { hostname, protocol } = target;
    const requirement = requirementFor(protocol, Number(target.port) || 443);
    if (isIP(hostname) === 0) {
      // Without a trailing dot: SNI has none, and servers choose their certificate by it.
      const servername = hostname.replace(/\.$/, '');
      return connectors[requirement]({ ...target, servername }, callback);
    }
    const refused = vetAddresses(hostname, [hostname], requirement, allow);
    if (!refused) return connectors[requirement](target, callback);
    // Asynchronously, like every other answer.
    process.nextTick(
      callback,
      new DialRefused(REFUSALS[refused.code], refused.message),
      null,
      null,
    );
    return undefined;
  };
}

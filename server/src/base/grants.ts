/**
 * What a key may call. A grant is one entry of the overview, with the overview's own field names; a
 * grant set is all of a key's. Sets are immutable and shared: most keys have the default one, so a
 * million keys need one copy, and the overview's reply is serialised once per set, not per request.
 */
import { createHash } from 'node:crypto';
import { catalogue, cataloguePosition, defaultGrant, type Grant, OVERVIEW } from './catalogue.ts';

export type { Grant };

export class GrantSet {
  readonly id: string;
  /** In the catalogue's order. */
  readonly grants: readonly Grant[];
  /** The `data` array of the overview, ready to send. */
  readonly json: string;
  readonly #byEndpoint: Map<string, Grant>;

  constructor(grants: readonly Grant[]) {
    this.grants = [...grants].sort((a, b) => positionOf(a) - positionOf(b)).map(inFieldOrder);
    this.json = JSON.stringify(this.grants);
    this.id = createHash('sha256').update(this.json).digest('hex').slice(0, 32);
    this.#byEndpoint = new Map(this.grants.map((grant) => [grant.endpoint, grant]));
    if (!this.#byEndpoint.has(OVERVIEW)) throw new Error('a key cannot be without overview/');
  }

  of(endpoint: string): Grant | undefined {
    return this.#byEndpoint.get(endpoint);
  }

  with(grant: Grant): GrantSet {
    return new GrantSet([...this.grants.filter((g) => g.endpoint !== grant.endpoint), grant]);
  }

  without(endpoint: string): GrantSet {
    return new GrantSet(this.grants.filter((grant) => grant.endpoint !== endpoint));
  }

  static parse(json: string): GrantSet {
    return new GrantSet(JSON.parse(json) as Grant[]);
  }
}

/** The whole catalogue, or a subset of it, which always includes `overview/`. */
export function defaultGrants(
  endpoints: readonly string[] = catalogue.map((entry) => entry.endpoint),
): GrantSet {
  return new GrantSet([...new Set([...endpoints, OVERVIEW])].map(defaultGrant));
}

function positionOf(grant: Grant): number {
  const position = cataloguePosition(grant.endpoint);
  if (position === undefined) throw new Error(`no such endpoint: ${grant.endpoint}`);
  return position;
}

function inFieldOrder(grant: Grant): Grant {
  return {
    endpoint: grant.endpoint,
    is_active: grant.is_active,
    is_debug_mode: grant.is_debug_mode,
    is_limited: grant.is_limited,
    requests_number: grant.requests_number,
    seconds_number: grant.seconds_number,
  };
}

/**
 * Keys for the time when PostgreSQL does not answer: what it last said about those that have signed in here, and what
 * other nodes have told about them since. A key that this node does not know stays without an answer.
 */
import type { Clock } from '../../base/clock.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { KeyLookup, StoredKey } from '../../gateway/keys.ts';
import type { KeySnapshots } from './changes-over-redis.ts';

/** Beyond these, the oldest are dropped: as many keys as sign-ins are remembered. A key takes about 600 bytes. */
const MOST_KEYS = 200_000;
const MOST_GRANT_SETS = 1_000;

interface Known {
  /** Undefined since it changed: what was read earlier than this must not take its place. */
  key: StoredKey | undefined;
  /** On the database's clock. */
  readAtMs: number;
}

/** A key that is being read. */
interface Lookup {
  keyId: string;
  hasChanged: boolean;
}

export class KnownKeys implements KeyLookup {
  readonly #lookup: KeyLookup;
  readonly #clock: Clock;
  readonly #mayServe: () => Promise<boolean>;
  readonly #keys = new Map<string, Known>();
  readonly #grants = new Map<string, string>();
  readonly #lookups = new Set<Lookup>();

  /** `mayServe` says whether what is known may be used although the database is away. */
  constructor(lookup: KeyLookup, clock: Clock, mayServe: () => Promise<boolean>) {
    this.#lookup = lookup;
    this.#clock = clock;
    this.#mayServe = mayServe;
  }

  async find(keyId: string): Promise<StoredKey | undefined> {
    const lookup: Lookup = { keyId, hasChanged: false };
    this.#lookups.add(lookup);
    try {
      return await this.#find(lookup);
    } catch (error) {
      // A failover ends connections and what is known of keys at once: the next connection has the answer.
      if (!(error instanceof DatabaseAway && lookup.hasChanged)) throw error;
      lookup.hasChanged = false;
      return await this.#find(lookup);
    } finally {
      this.#lookups.delete(lookup);
    }
  }

  async #find(lookup: Lookup): Promise<StoredKey | undefined> {
    const { keyId } = lookup;
    const readAtMs = this.#clock.now();
    try {
      const key = await this.#lookup.find(keyId);
      // What was read before a change and remembered after it would never be dropped.
      if (key && !lookup.hasChanged) this.#remember(keyId, { key, readAtMs });
      return key;
    } catch (error) {
      return this.#known(error, () => this.#keys.get(keyId)?.key);
    }
  }

  async grants(grantSetId: string): Promise<string> {
    try {
      const grants = await this.#lookup.grants(grantSetId);
      bounded(this.#grants, MOST_GRANT_SETS).set(grantSetId, grants);
      return grants;
    } catch (error) {
      return this.#known(error, () => this.#grants.get(grantSetId));
    }
  }

  /** They have changed. */
  forget(keyIds: Iterable<string>): void {
    const changed = new Set(keyIds);
    this.#overtake(changed);
    for (const keyId of changed) {
      const known = this.#keys.get(keyId);
      if (known) known.key = undefined;
    }
  }

  /** All may have changed. Returns the ids of those that were known. */
  forgetAll(): string[] {
    const keyIds = [...this.#keys.keys()];
    this.forget(keyIds);
    for (const lookup of this.#lookups) lookup.hasChanged = true;
    return keyIds;
  }

  /** As the database had them. Several nodes tell the same, and one of them may be late. */
  learn({ keys, grants, readAtMs }: KeySnapshots): void {
    this.#overtake(new Set(keys.map(({ keyId }) => keyId)));
    for (const key of keys) {
      const known = this.#keys.get(key.keyId);
      if (!known || known.readAtMs <= readAtMs) this.#remember(key.keyId, { key, readAtMs });
    }
    for (const [id, text] of Object.entries(grants)) {
      bounded(this.#grants, MOST_GRANT_SETS).set(id, text);
    }
  }

  #overtake(keyIds: ReadonlySet<string>): void {
    for (const lookup of this.#lookups) lookup.hasChanged ||= keyIds.has(lookup.keyId);
  }

  #remember(keyId: string, known: Known): void {
    // So that it is among the newest, as its sign-in is: whoever is remembered as signed in is also known here.
    this.#keys.delete(keyId);
    bounded(this.#keys, MOST_KEYS).set(keyId, known);
  }

  async #known<T>(error: unknown, recall: () => T | undefined): Promise<T> {
    if (!(error instanceof DatabaseAway) || recall() === undefined) throw error;
    const mayServe = await this.#mayServe();
    // A change may have come in the meantime.
    const known = recall();
    if (!mayServe || known === undefined) throw error;
    return known;
  }
}

function bounded<K, V>(map: Map<K, V>, most: number): Map<K, V> {
  if (map.size >= most) map.delete(map.keys().next().value as K);
  return map;
}

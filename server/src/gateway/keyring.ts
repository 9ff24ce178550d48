/**
 * Who is calling. Credentials are verified against the store once per address and then cached under a
 * digest of header and address. A change of the key, here or on another node, removes the entry. All
 * other sign-ins take the same path (one look-up, one HMAC and two comparisons for each master key in force),
 * so that an unknown id, a wrong key and a revoked one take the same time.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { isInside, parseCidr } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import { DatabaseAway, type Outage } from '../base/database-errors.ts';
import { GrantSet } from '../base/grants.ts';
import { earlierKeysIn } from '../base/sealing/previous-keys.ts';
import { fingerprintOf, fingerprintOfDigest } from '../base/sealing/sealed-key.ts';
import type { Vault } from '../base/sealing/vault.ts';
import type { Credentials } from './authorization-header.ts';
import type { Invalidations, KeyLookup, StoredKey } from './keys.ts';
import type { UsedApiKey } from './usage-history/api-key-uses.ts';

/** Beyond this, the oldest entry is dropped. */
const REMEMBERED_SIGN_INS = 200_000;
const REMEMBERED_GRANT_SETS = 10_000;

const NO_DIGEST = Buffer.from('0'.repeat(64));
/** The end of wrong credentials. */
const NEVER_VALID = Number.NEGATIVE_INFINITY;

export interface KeyOwner {
  readonly keyId: string;
  readonly partnerId: string;
}

/** A key whose id came with an API key that does not sign in. */
export interface Claim extends KeyOwner {
  /** Of the API key that came with it, under each master key in force, separated by spaces. */
  readonly fingerprints: string;
}

/** A key that has signed in from one address. */
export interface Caller extends KeyOwner {
  /** The key is disabled or its partner suspended. */
  readonly disabled: boolean;
  readonly addressAllowed: boolean;
  readonly grants: GrantSet;
  /** The API key that was given, if another one of the key works as well; undefined if it is the only one. */
  readonly inOverlap: UsedApiKey | undefined;
  /** Its owner's fields in a log line, each with a comma before it. */
  readonly logged: string;
}

interface Remembered extends Caller {
  /** When the key expires, or the overlap ends during which its earlier API key works. */
  readonly validUntilMs: number;
}

export class Keyring {
  readonly #lookup: KeyLookup;
  readonly #invalidations: Invalidations;
  readonly #outage: Outage;
  readonly #vault: Vault;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();
  /** The entries of each key, to drop them when it changes. */
  readonly #ofKey = new Map<string, Set<string>>();
  readonly #grantSets = new Map<string, GrantSet>();
  readonly #lastOn = new WeakMap<object, { header: string; address: string; digest: string }>();
  readonly #unsubscribe: () => void;
  #changesHeard = 0;

  constructor(parts: {
    lookup: KeyLookup;
    invalidations: Invalidations;
    outage: Outage;
    vault: Vault;
    clock: Clock;
  }) {
    this.#lookup = parts.lookup;
    this.#invalidations = parts.invalidations;
    this.#outage = parts.outage;
    this.#vault = parts.vault;
    this.#clock = parts.clock;
    this.#unsubscribe = parts.invalidations.subscribe((keyIds) => {
      this.#changesHeard++;
      for (const keyId of keyIds) this.#forgetKey(keyId);
    });
  }

  /** A caller that has already signed in with exactly this header from this address. */
  recall(header: string, address: string, connection: object): Caller | undefined {
    const caller = this.#remembered.get(this.#digestOn(connection, header, address));
    if (!caller || !this.#invalidations.isCurrent()) return undefined;
    // Few keys end. Reading the clock takes 0.1 µs on some machines.
    const { validUntilMs } = caller;
    const isOver = validUntilMs !== Number.POSITIVE_INFINITY && this.#clock.now() >= validUntilMs;
    return isOver ? undefined : caller;
  }

  /**
   * Undefined if the credentials are wrong. Which part was wrong is told to `claim`, for support alone: it gets the
   * key if there is one with this id.
   */
  async verify(
    header: string,
    { keyId, apiKey }: Credentials,
    address: string,
    claim: (claim: Claim) => void,
  ): Promise<Caller | undefined> {
    const heardBefore = this.#changesHeard;
    const stored = await this.#lookup.find(keyId);
    const digests = this.#vault.digests(keyId, apiKey);
    const given = givenOf(stored, digests);
    const endsAtMs = Math.min(
      given?.untilMs ?? NEVER_VALID,
      stored?.expiresAt ?? Number.POSITIVE_INFINITY,
    );
    // Without a database, an unknown id cannot be answered, and a wrong API key must not look different.
    if (endsAtMs === NEVER_VALID && this.#outage.isAway()) {
      throw new DatabaseAway('PostgreSQL does not answer');
    }
    const validUntilMs = stored?.revokedAt === null ? endsAtMs : NEVER_VALID;
    if (!stored) return undefined;
    if (this.#clock.now() >= validUntilMs) {
      const fingerprints = digests.map(fingerprintOfDigest).join(' ');
      claim({ keyId: stored.keyId, partnerId: stored.partnerId, fingerprints });
      return undefined;
    }
    const caller = {
      keyId,
      partnerId: stored.partnerId,
      disabled: stored.disabled !== 0 || stored.suspended !== 0,
      addressAllowed: allowListFrom(stored.allowedIps)(address),
      grants: await this.#grantSet(stored.grantSet),
      inOverlap: this.#inOverlap(stored, given),
      logged: `,"key_id":"${keyId}","partner_id":"${stored.partnerId}"`,
      validUntilMs,
    };
    // A state that was read before a change and cached after it would never be dropped.
    if (heardBefore === this.#changesHeard) this.#remember(digestOf(header, address), caller);
    return caller;
  }

  close(): void {
    this.#unsubscribe();
  }

  /**
   * The digest is kept for the connection's next call, because computing it took 1.3 of the overview's
   * 22 µs. What is compared is the header that came last on this connection from this address, good
   * or bad, and never anything stored.
   */
  #digestOn(connection: object, header: string, address: string): string {
    const last = this.#lastOn.get(connection);
    if (last && last.header === header && last.address === address) return last.digest;
    const digest = digestOf(header, address);
    this.#lastOn.set(connection, { header, address, digest });
    return digest;
  }

  /** Undefined if no other API key of the key works now. */
  #inOverlap(stored: StoredKey, given: GivenApiKey | undefined): UsedApiKey | undefined {
    const nowMs = this.#clock.now();
    const hasOverlap =
      (stored.previousUntil ?? NEVER_VALID) > nowMs ||
      earlierKeysIn(stored.earlierKeys).some(({ untilMs }) => untilMs > nowMs);
    if (!hasOverlap || !given?.sealed) return undefined;
    return { keyId: stored.keyId, fingerprint: fingerprintOf(given.sealed, given.digest) };
  }

  async #grantSet(id: string): Promise<GrantSet> {
    const known = this.#grantSets.get(id);
    if (known) return known;
    const grants = GrantSet.parse(await this.#lookup.grants(id));
    if (this.#grantSets.size >= REMEMBERED_GRANT_SETS) dropOldest(this.#grantSets);
    this.#grantSets.set(id, grants);
    return grants;
  }

  #remember(digest: string, caller: Remembered): void {
    if (this.#remembered.size >= REMEMBERED_SIGN_INS) {
      const [oldestDigest, oldest] = this.#remembered.entries().next().value as [
        string,
        Remembered,
      ];
      this.#remembered.delete(oldestDigest);
      const rest = this.#ofKey.get(oldest.keyId);
      rest?.delete(oldestDigest);
      if (rest?.size === 0) this.#ofKey.delete(oldest.keyId);
    }
    this.#remembered.set(digest, caller);
    const digests = this.#ofKey.get(caller.keyId);
    if (digests) digests.add(digest);
    else this.#ofKey.set(caller.keyId, new Set([digest]));
  }

  #forgetKey(keyId: string): void {
    for (const digest of this.#ofKey.get(keyId) ?? []) this.#remembered.delete(digest);
    this.#ofKey.delete(keyId);
  }
}

/** One of the API keys of a key. */
interface GivenApiKey {
  digest: string;
  sealed: string | null;
  untilMs: number;
}

/** The API key that was given, whether or not it still works and the key is revoked; undefined if it is none of them. */
function givenOf(
  stored: StoredKey | undefined,
  digests: readonly string[],
): GivenApiKey | undefined {
  const current = { untilMs: Number.POSITIVE_INFINITY, sealed: stored?.sealed ?? null };
  const previous = {
    untilMs: stored?.previousUntil ?? NEVER_VALID,
    sealed: stored?.previousSealed ?? null,
  };
  // Hardly any key has these. They add a few microseconds, which the timer of a refusal hides.
  const earlierKeys = earlierKeysIn(stored?.earlierKeys ?? null);
  let found: GivenApiKey | undefined;
  for (const digest of digests) {
    const given = Buffer.from(digest);
    if (sameDigest(given, stored?.digest)) found = { ...current, digest };
    if (sameDigest(given, stored?.previousDigest)) found = { ...previous, digest };
    for (const earlier of earlierKeys) {
      if (sameDigest(given, earlier.digest)) found = earlier;
    }
  }
  return found;
}

/** A digest, so that neither the API key nor a comparison with it is in the map. */
function digestOf(header: string, address: string): string {
  return hash('sha256', `${address} ${header}`, 'base64');
}

function sameDigest(given: Buffer, stored: string | null | undefined): boolean {
  return timingSafeEqual(given, stored ? Buffer.from(stored) : NO_DIGEST);
}

function dropOldest<K>(map: Map<K, unknown>): void {
  map.delete(map.keys().next().value as K);
}

/** From the stored JSON array of addresses and CIDRs; null allows every address. */
export function allowListFrom(json: string | null): (address: string) => boolean {
  if (json === null) return () => true;
  const cidrs = (JSON.parse(json) as string[]).map(parseCidr).filter((cidr) => cidr !== undefined);
  return (address) => isInside(address, cidrs);
}

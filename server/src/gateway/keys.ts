/** What the partner API needs from the store: a key by its id, and which cached ones are out of date. */
export interface KeyLookup {
  find(keyId: string): StoredKey | undefined | Promise<StoredKey | undefined>;
  /** The grants of a set, as JSON. */
  grants(grantSetId: string): string | Promise<string>;
}

/** A key with its partner, as stored; flags are 0 and 1, times are in milliseconds. */
export interface StoredKey {
  keyId: string;
  partnerId: string;
  digest: string;
  /** The API key as it is sealed, if it was rotated. */
  sealed: string | null;
  /** Of the newest API key from before a rotation. */
  previousDigest: string | null;
  previousSealed: string | null;
  previousUntil: number | null;
  /** JSON of the older ones. */
  earlierKeys: string | null;
  allowedIps: string | null;
  disabled: number;
  suspended: number;
  expiresAt: number | null;
  revokedAt: number | null;
  grantSet: string;
}

/** Keys and midoffices whose cached copies are out of date, by their ids. */
export interface Invalidations {
  /** False if this node may have missed a change in the last second, unless it is to go on without its database. */
  isCurrent(): boolean;
  subscribe(listener: (ids: readonly string[]) => void | Promise<void>): () => void;
  /** Notifies the listeners; resolves when all of them have acted on it. */
  announce(ids: readonly string[]): Promise<void>;
}

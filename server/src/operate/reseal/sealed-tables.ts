/** A table with sealed values, as `bellhop reseal` goes through it. */

import type { Vault } from '../../base/sealing/vault.ts';
import type { Database } from '../../store/schema.ts';

export interface SealedTable {
  /** Its rows with sealed values. */
  count(db: Database): Promise<number>;
  /** The same rows, in the order of their ids. */
  read(db: Database, atOnce: number): AsyncGenerator<readonly SealedEntry[]>;
}

export interface SealedEntry {
  id: string;
  /** For messages: "The API key of key 17". */
  name: string;
  values: { under: string; sealed: string }[];
  /**
   * Undefined if everything is under the current master key. Otherwise, how to write it: false if the row was changed
   * since it was read. Throws if a value does not open.
   */
  resealed(vault: Vault): ((db: Database) => Promise<boolean>) | undefined;
}

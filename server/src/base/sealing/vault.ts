/**
 * API keys at rest. The service signs webhooks with the receiver's API key, so it must be able to recover
 * the key. It is sealed (AES-256-GCM) under the master key, with environment and key id as associated
 * data, so that a sealed key copied to another row or database does not open. For sign-in, a keyed digest
 * is stored beside it. Ids that partners see are hidden numbers. Each of these uses has its own key, derived from the
 * master key.
 *
 * While the master key is being rotated, several are in force. Everything new is sealed with the current one;
 * what earlier ones have sealed still opens, and their digests still sign in.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { EnvironmentName } from '../config/settings.ts';
import { hideNumber, revealNumber } from '../hidden-numbers.ts';
import { readSealed, writeSealed } from './sealed-key.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 4;

interface DerivedKeys {
  id: string;
  sealing: Buffer;
  digest: Buffer;
  numbers: Buffer;
}

export class Vault {
  readonly #environment: EnvironmentName;
  readonly #current: DerivedKeys;
  /** By id, the current one first. */
  readonly #keys: ReadonlyMap<string, DerivedKeys>;

  constructor(
    masterKey: Buffer,
    environment: EnvironmentName,
    previousKeys: readonly Buffer[] = [],
  ) {
    this.#environment = environment;
    this.#current = deriveKeys(masterKey, environment);
    this.#keys = new Map(
      [this.#current, ...previousKeys.map((key) => deriveKeys(key, environment))].map((keys) => [
        keys.id,
        keys,
      ]),
    );
  }

  /** Of the key that seals everything new. */
  get currentKeyId(): string {
    return this.#current.id;
  }

  /** Of all master keys in force, the current one first. */
  get masterKeyIds(): string[] {
    return [...this.#keys.keys()];
  }

  /** `fingerprint` is kept with it, if the API key had one under another master key. */
  seal(keyId: string, apiKey: string, fingerprint?: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current.sealing, iv);
    cipher.setAAD(this.#associatedData(keyId));
    const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()]);
    const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    return writeSealed(bytes, this.#current.id, fingerprint);
  }

  /** Throws if it was sealed under a master key that is not in force, another environment or key id. */
  open(keyId: string, sealedKey: string): string {
    return this.#openWith(keyId, sealedKey).apiKey;
  }

  /** The id of the master key that opens it; undefined if none in force does. */
  masterKeyIdOf(keyId: string, sealedKey: string): string | undefined {
    try {
      return this.#openWith(keyId, sealedKey).masterKeyId;
    } catch {
      return undefined;
    }
  }

  /**
   * An API key has 122 random bits, so a fast digest is as safe as a slow one. It is keyed, so the
   * database alone cannot even confirm a guess.
   */
  digest(keyId: string, apiKey: string): string {
    return digestUnder(this.#current, keyId, apiKey);
  }

  /** Under each of the master keys in force: the database may hold any of them. */
  digests(keyId: string, apiKey: string): string[] {
    return Array.from(this.#keys.values(), (keys) => digestUnder(keys, keyId, apiKey));
  }

  hideNumber(number: number): string {
    return hideNumber(this.#current.numbers, number);
  }

  /** Undefined if it was hidden under none of the master keys in force. */
  revealNumber(hidden: string): number | undefined {
    for (const { numbers } of this.#keys.values()) {
      const number = revealNumber(numbers, hidden);
      if (number !== undefined) return number;
    }
    return undefined;
  }

  #openWith(keyId: string, sealedKey: string): { apiKey: string; masterKeyId: string } {
    const parts = readSealed(sealedKey);
    if (!parts) throw new Error('It is damaged.');
    const { bytes, masterKeyId } = parts;
    const keys = this.#keys.get(masterKeyId);
    if (!keys) {
      throw new Error(`It was sealed with the master key ${masterKeyId}, which is not in force.`);
    }
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', keys.sealing, iv, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#associatedData(keyId));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return { apiKey: Buffer.concat([opened, decipher.final()]).toString('utf8'), masterKeyId };
  }

  #associatedData(keyId: string): Buffer {
    return Buffer.from(`${this.#environment}:${keyId}`);
  }
}

/** Names a master key in the database, in messages and in logs. It reveals nothing about the key. */
export function masterKeyId(masterKey: Buffer): string {
  return derive(masterKey, 'id', ID_BYTES).toString('hex');
}

function deriveKeys(masterKey: Buffer, environment: EnvironmentName): DerivedKeys {
  return {
    id: masterKeyId(masterKey),
    sealing: derive(masterKey, `seal ${environment}`),
    digest: derive(masterKey, `sign-in ${environment}`),
    numbers: derive(masterKey, `numbers ${environment}`),
  };
}

function digestUnder({ digest }: DerivedKeys, keyId: string, apiKey: string): string {
  return createHmac('sha256', digest).update(`${keyId}:${apiKey}`).digest('hex');
}

function derive(masterKey: Buffer, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'bellhop', purpose, bytes));
}

/**
 * API keys at rest. The service signs webhooks with the receiver's API key, so it must be able to recover
 * the key. It is sealed (AES-256-GCM) under the master key, with environment and key id as associated
 * data, so that a sealed key copied to another row or database does not open. For sign-in, a keyed digest
 * is stored beside it. Each of the two uses has its own key, derived from the master key.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { EnvironmentName } from './config/settings.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

export class Vault {
  readonly #environment: EnvironmentName;
  readonly #sealingKey: Buffer;
  readonly #digestKey: Buffer;

  constructor(masterKey: Buffer, environment: EnvironmentName) {
    this.#environment = environment;
    this.#sealingKey = derive(masterKey, `seal ${environment}`);
    this.#digestKey = derive(masterKey, `sign-in ${environment}`);
  }

  seal(keyId: string, apiKey: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKey, iv);
    cipher.setAAD(this.#associatedData(keyId));
    const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Throws if it was sealed under another master key, environment or key id. */
  open(keyId: string, sealedKey: string): string {
    const bytes = Buffer.from(sealedKey, 'base64');
    const decipher = createDecipheriv(
      'aes-256-gcm',
      this.#sealingKey,
      bytes.subarray(0, IV_BYTES),
      { authTagLength: TAG_BYTES },
    );
    decipher.setAAD(this.#associatedData(keyId));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  }

  /**
   * An API key has 122 random bits, so a fast digest is as safe as a slow one. It is keyed, so the
   * database alone cannot even confirm a guess.
   */
  digest(keyId: string, apiKey: string): string {
    return createHmac('sha256', this.#digestKey).update(`${keyId}:${apiKey}`).digest('hex');
  }

  #associatedData(keyId: string): Buffer {
    return Buffer.from(`${this.#environment}:${keyId}`);
  }
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'bellhop', purpose, 32));
}

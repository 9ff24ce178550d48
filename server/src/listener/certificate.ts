/**
 * The certificate of a listener that speaks TLS itself, or the one that Bellhop shows to an upstream. It is read at the
 * start, and again on SIGHUP: then new connections get the new one, and open connections keep theirs.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/config/config.ts';
import type { TlsFiles } from '../base/config/listeners.ts';
import { readSmallFile, whyUnusable } from '../base/config/small-file.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';

/** A certificate with its chain has some 10 KB. */
const LARGEST_PEM_BYTES = 262_144;
const DAY_MS = 86_400_000;
/** Those with forward secrecy and authenticated encryption. */
const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/** All of one thread. */
export class Certificates {
  readonly #parts: { clock: Clock; log: Log; metrics: Metrics };
  readonly #open = new Map<string, Certificate>();

  constructor(parts: { clock: Clock; log: Log; metrics: Metrics }) {
    this.#parts = parts;
  }

  /** `name` is its name in metrics and in the log. Undefined if there is none. */
  open(name: string, files: TlsFiles | undefined): Certificate | undefined {
    if (!files) return undefined;
    const { clock, metrics } = this.#parts;
    const certificate = new Certificate(files);
    this.#open.set(name, certificate);
    metrics.gauge(
      'bellhop_certificate_days_left',
      'Days until a certificate of this process expires; negative afterwards.',
      { certificate: name },
      () => (certificate.expiresAt.getTime() - clock.now()) / DAY_MS,
    );
    return certificate;
  }

  /** A certificate that cannot be used is reported, and the one in use stays. */
  readAgain(): void {
    const { log } = this.#parts;
    for (const [name, certificate] of this.#open) {
      try {
        certificate.readAgain();
        const expires_at = certificate.expiresAt.toISOString();
        log.info({ certificate: name, expires_at }, 'the certificate was read again');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log.error({ certificate: name }, `${error.message} The certificate in use stays.`);
      }
    }
  }
}

interface Pair {
  cert: string;
  key: string;
  expiresAt: Date;
}

export class Certificate {
  readonly #files: TlsFiles;
  #current: Pair;
  #onChange = () => {};

  constructor(files: TlsFiles) {
    this.#files = files;
    this.#current = readPair(files);
  }

  get expiresAt(): Date {
    return this.#current.expiresAt;
  }

  get pair(): { cert: string; key: string } {
    const { cert, key } = this.#current;
    return { cert, key };
  }

  /** For a server. */
  get options(): SecureContextOptions {
    return { ...this.pair, minVersion: 'TLSv1.2', ciphers: CIPHERS, honorCipherOrder: true };
  }

  onChange(changed: () => void): void {
    this.#onChange = changed;
  }

  /** Throws a ConfigError if the files cannot be used; then the certificate stays. */
  readAgain(): void {
    this.#current = readPair(this.#files);
    this.#onChange();
  }
}

/** Throws a ConfigError that names the setting. */
function readPair({ cert: certFile, key: keyFile }: TlsFiles): Pair {
  const cert = read(certFile, 'the certificate');
  const key = read(keyFile, 'the private key');
  const certificate = parsed(certFile, 'a certificate', () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, 'a private key without a password', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `${keyFile.variable} must name the private key of the certificate in ${certFile.file}, but ${keyFile.file} is that of another.`,
    );
  }
  try {
    // OpenSSL refuses more than the checks above, such as keys that are too short.
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(
      `${certFile.variable} names a certificate that OpenSSL refuses (${(error as Error).message}).`,
    );
  }
  return { cert, key, expiresAt: certificate.validToDate };
}

function read({ variable, file }: TlsFiles['cert'], what: string): string {
  try {
    return readSmallFile(file, LARGEST_PEM_BYTES);
  } catch (error) {
    throw new ConfigError(
      `${variable} must name a PEM file with ${what}: ${whyUnusable(file, error)}.`,
    );
  }
}

function parsed<T>({ variable, file }: TlsFiles['cert'], what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new ConfigError(`${variable} must name a PEM file with ${what}, but ${file} has none.`);
  }
}

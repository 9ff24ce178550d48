/** A certificate of a listener, in files as its settings name them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support.ts';
import { type CertificateOptions, issueCertificate } from './certificates.ts';

export async function newCertificate() {
  const folder = await temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];

  /** Replaces the files, and returns what callers need to trust the new one. */
  function renew(options: Partial<CertificateOptions> = {}): string {
    const { cert, key } = issueCertificate({
      name: 'localhost',
      dnsNames: ['localhost'],
      addresses: ['127.0.0.1'],
      ...options,
    });
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    return cert;
  }

  return {
    certFile,
    keyFile,
    renew,
    ca: renew(),
    /** For these listeners: `PRODUCTION`, `SANDBOX`, `BACK_OFFICE`. */
    settings: (...listeners: string[]): Record<string, string> =>
      Object.fromEntries(
        listeners.flatMap((listener) => [
          [`BELLHOP_${listener}_TLS_CERT_FILE`, certFile],
          [`BELLHOP_${listener}_TLS_KEY_FILE`, keyFile],
        ]),
      ),
  };
}

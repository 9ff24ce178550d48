/**
 * Certificate authorities that Bellhop trusts besides those that Node knows, such as the one of your company. They
 * count for every TLS connection that this thread opens: PostgreSQL, Redis, the upstream, OpenID Connect, receivers.
 */
import { X509Certificate } from 'node:crypto';
import { ConfigError } from '../base/config/config.ts';
import { readSmallFile, whyUnusable } from '../base/config/small-file.ts';

/** All public authorities together have some 200 KB. */
const LARGEST_CA_FILE_BYTES = 4_194_304;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Call it in each thread, before it opens a connection. `file` is that of BELLHOP_CA_FILE. */
export function trustAuthorities(file: string | undefined): void {
  if (file === undefined) return;
  const certificates = certificatesIn(file);
  const tls = process.getBuiltinModule('node:tls');
  if (!tls.setDefaultCACertificates) {
    throw new ConfigError('BELLHOP_CA_FILE needs Node 24.5 or newer; use NODE_EXTRA_CA_CERTS.');
  }
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates]);
}

function certificatesIn(file: string): string[] {
  const wanted = 'BELLHOP_CA_FILE must name a PEM file with certificates';
  let text: string;
  try {
    text = readSmallFile(file, LARGEST_CA_FILE_BYTES);
  } catch (error) {
    throw new ConfigError(`${wanted}: ${whyUnusable(file, error)}.`);
  }
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new ConfigError(`${wanted}, but ${file} has none.`);
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch {
      throw new ConfigError(`${wanted}, but number ${index + 1} in ${file} is not one.`);
    }
  }
  return certificates;
}

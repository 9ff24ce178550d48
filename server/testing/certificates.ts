import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/**
 * Certificates for tests, with any names and dates. Encoded by hand in DER, because Node can read
 * certificates but not issue them, and not every machine has an `openssl` that can issue an expired one.
 */
export interface Certificate {
  cert: string;
  key: string;
  privateKey: KeyObject;
  name: string;
}

export interface CertificateOptions {
  name: string;
  dnsNames?: string[];
  /** IPv4 only. */
  addresses?: string[];
  validFrom?: Date;
  validUntil?: Date;
  /** Self-signed if there is none. */
  issuer?: Certificate;
  isAuthority?: boolean;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

export function issueCertificate(options: CertificateOptions): Certificate {
  const { name, dnsNames = [], addresses = [], issuer, isAuthority = false } = options;
  const { validFrom = new Date(Date.now() - DAY_MS) } = options;
  const { validUntil = new Date(Date.now() + DAY_MS) } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  const extensions = [];
  if (isAuthority) extensions.push(extension(oid(0x55, 0x1d, 0x13), sequence(der(1, [0xff]))));
  const alternatives = [
    ...dnsNames.map((dnsName) => der(0x82, Buffer.from(dnsName))),
    ...addresses.map((address) => der(0x87, address.split('.').map(Number))),
  ];
  if (alternatives.length > 0) {
    extensions.push(extension(oid(0x55, 0x1d, 0x11), sequence(...alternatives)));
  }
  const serial = [1, ...crypto.getRandomValues(new Uint8Array(8))];
  const content = sequence(
    der(0xa0, der(2, [2])),
    der(2, serial),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer?.name ?? name),
    sequence(time(validFrom), time(validUntil)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const certificate = sequence(content, ECDSA_WITH_SHA256, der(3, [0, ...signature]));
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
    name,
  };
}

function der(tag: number, content: Uint8Array | number[]): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), Buffer.from(content)]);
}

function sequence(...parts: Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(...bytes: number[]): Buffer {
  return der(6, bytes);
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, der(4, value));
}

function distinguishedName(commonName: string): Buffer {
  const text = der(0x0c, Buffer.from(commonName));
  return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), text)));
}

/** GeneralizedTime, `20260131120000Z`. */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

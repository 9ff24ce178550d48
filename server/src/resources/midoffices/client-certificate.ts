/** The client certificate of a midoffice: what callers send and are shown of it. */
import type { Static } from 'typebox';
import type { Vault } from '../../base/sealing/vault.ts';
import {
  type CertificatePair,
  LONGEST_CERTIFICATE,
  LONGEST_PRIVATE_KEY,
  openPair,
  sealPair,
  shownCertificate,
  wrongPair,
} from '../../receiver/client-certificate.ts';
import { like } from '../examples.ts';
import * as forms from '../forms.ts';
import { invalidField } from '../problem.ts';
import { Type } from '../type.ts';

const FIELD = '/client_certificate';

const ClientCertificate = forms.reply('ClientCertificate', {
  subject: like('O=Acme Travel, CN=bellhop'),
  fingerprint: Type.String({ description: 'SHA-256 of the certificate.' }),
  not_after: forms.time,
});

const NewClientCertificate = forms.input('NewClientCertificate', {
  certificate: Type.String({
    maxLength: LONGEST_CERTIFICATE,
    description: 'The certificate in PEM, followed by its intermediates.',
  }),
  private_key: Type.String({
    maxLength: LONGEST_PRIVATE_KEY,
    description: 'Its private key in PEM, unencrypted. It is stored sealed, and never shown.',
  }),
});

type Given = Static<typeof NewClientCertificate> | null;

/** Reading it needs the vault and what the midoffice has already: `certificateColumn`. */
export const certificateField = {
  type: 'text' as const,
  initial: null,
  shown: forms.orNull(ClientCertificate),
  given: forms.orNull(NewClientCertificate),
  show: (stored: string | null) => (stored === null ? null : shownCertificate(stored)),
};

/** Throws a problem that names the part that is wrong. */
export function checkCertificate(given: Given | undefined, nowMs: number): void {
  if (!given) return;
  const wrong = wrongPair(given, nowMs);
  if (wrong) throw invalidField(`${FIELD}/${wrong.part}`, wrong.detail);
}

/** What is stored for a checked pair. One that stays the same keeps its sealed form. */
export function certificateColumn(
  vault: Vault,
  midofficeId: string,
  given: Given,
  before: string | null,
): string | null {
  if (given === null) return null;
  if (before !== null && isSame(openPair(vault, midofficeId, before), given)) return before;
  return sealPair(vault, midofficeId, given);
}

function isSame(one: CertificatePair, other: CertificatePair): boolean {
  return one.certificate === other.certificate && one.private_key === other.private_key;
}

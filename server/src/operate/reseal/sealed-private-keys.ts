/** The sealed private keys of midoffices' client certificates, for `bellhop reseal`. */
import { privateKeyUnder, sealedPairIn, sealPair } from '../../receiver/client-certificate.ts';
import { sealedMidofficeColumn } from './sealed-midoffice-column.ts';
import { isCurrent } from './sealed-rows.ts';

export const sealedPrivateKeys = sealedMidofficeColumn('client_certificate', (id, stored) => {
  const under = privateKeyUnder(id);
  const { certificate, private_key: sealed } = sealedPairIn(stored);
  return {
    name: `The private key of midoffice ${id}`,
    values: [{ under, sealed }],
    resealed(vault) {
      if (isCurrent(vault, sealed)) return stored;
      return sealPair(vault, id, { certificate, private_key: vault.open(under, sealed) });
    },
  };
});

/** The sealed private keys of midoffices' client certificates, for `bellhop reseal`. */
import { privateKeyUnder, sealedPairIn, sealPair } from '../../client-certificate.ts';
import { readPages } from '../../pages.ts';
import type { Database } from '../../store/schema.ts';
import type { Vault } from '../../vault.ts';
import { isCurrent } from './sealed-rows.ts';
import type { SealedEntry, SealedTable } from './sealed-tables.ts';

type Row = { id: string; client_certificate: string };

export const sealedPrivateKeys: SealedTable = {
  async count(db) {
    const { midoffices } = await db
      .selectFrom('midoffice')
      .select((select) => select.fn.countAll<number>().as('midoffices'))
      .where('client_certificate', 'is not', null)
      .executeTakeFirstOrThrow();
    return Number(midoffices);
  },
  read(db, atOnce) {
    return readPages<SealedEntry>(atOnce, async (last, limit) => {
      const rows = await db
        .selectFrom('midoffice')
        .select(['id', 'client_certificate'])
        .where('client_certificate', 'is not', null)
        .$narrowType<{ client_certificate: string }>()
        .where('id', '>', last?.id ?? '')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    });
  },
};

function entryOf(row: Row): SealedEntry {
  const under = privateKeyUnder(row.id);
  const { certificate, private_key: sealed } = sealedPairIn(row.client_certificate);
  return {
    id: row.id,
    name: `The private key of midoffice ${row.id}`,
    values: [{ under, sealed }],
    resealed(vault: Vault) {
      if (isCurrent(vault, sealed)) return undefined;
      const pair = { certificate, private_key: vault.open(under, sealed) };
      const resealed = sealPair(vault, row.id, pair);
      return (db) => replace(db, row, resealed);
    },
  };
}

async function replace(db: Database, before: Row, client_certificate: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('midoffice')
    .set({ client_certificate })
    .where('id', '=', before.id)
    .where('client_certificate', '=', before.client_certificate)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

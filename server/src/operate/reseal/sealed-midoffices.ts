/** The sealed header values and private keys of midoffices, for `bellhop reseal`: how they are counted, read and replaced. */
import { readPages } from '../../base/pages.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import {
  openHeader,
  sealedHeadersIn,
  sealedUnder,
  sealHeader,
  toStoredHeaders,
} from '../../delivery/webhook-headers.ts';
import { privateKeyUnder, sealedPairIn, sealPair } from '../../receiver/client-certificate.ts';
import type { Database } from '../../store/schema.ts';
import { isCurrent, type SealedEntry, type SealedTable } from './sealed-rows.ts';

interface Contents extends Pick<SealedEntry, 'name' | 'values'> {
  /** What the column is to hold; the same as before if everything is under the current master key. */
  resealed(vault: Vault): string | null;
}

function sealedMidofficeColumn(
  column: 'headers' | 'client_certificate',
  contentsOf: (midofficeId: string, stored: string) => Contents,
): SealedTable {
  function entryOf({ id, stored }: { id: string; stored: string }): SealedEntry {
    const { resealed, ...contents } = contentsOf(id, stored);
    return {
      id,
      ...contents,
      resealed(vault) {
        const value = resealed(vault);
        return value === stored ? undefined : (db) => replace(db, id, stored, value);
      },
    };
  }

  async function replace(db: Database, id: string, before: string, value: string | null) {
    const { numUpdatedRows } = await db
      .updateTable('midoffice')
      .set(column, value)
      .where('id', '=', id)
      .where(column, '=', before)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  return {
    async count(db) {
      const { midoffices } = await db
        .selectFrom('midoffice')
        .select((select) => select.fn.countAll<number>().as('midoffices'))
        .where(column, 'is not', null)
        .executeTakeFirstOrThrow();
      return Number(midoffices);
    },
    read(db, atOnce) {
      return readPages<SealedEntry>(atOnce, async (last, limit) => {
        const rows = await db
          .selectFrom('midoffice')
          .select(['id', `${column} as stored`])
          .where(column, 'is not', null)
          .$narrowType<{ stored: string }>()
          .where('id', '>', last?.id ?? '')
          .orderBy('id')
          .limit(limit)
          .execute();
        return rows.map(entryOf);
      });
    },
  };
}

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

export const sealedHeaders = sealedMidofficeColumn('headers', (id, stored) => {
  const headers = [...sealedHeadersIn(stored)];
  return {
    name: `A header of midoffice ${id}`,
    values: headers.map(([name, sealed]) => ({ under: sealedUnder(id, name), sealed })),
    resealed(vault) {
      const resealed = headers.map(([name, sealed]): [string, string] => {
        if (isCurrent(vault, sealed)) return [name, sealed];
        return [name, sealHeader(vault, id, name, openHeader(vault, id, name, sealed))];
      });
      return toStoredHeaders(new Map(resealed));
    },
  };
});

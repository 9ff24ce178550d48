/** The sealed header values of midoffices, for `bellhop reseal`. */
import { readPages } from '../../pages.ts';
import type { Database, MidofficeRow } from '../../store/schema.ts';
import type { Vault } from '../../vault.ts';
import {
  openHeader,
  sealedHeadersIn,
  sealedUnder,
  sealHeader,
  toStoredHeaders,
} from '../../webhook-headers.ts';
import { isCurrent } from './sealed-rows.ts';
import type { SealedEntry, SealedTable } from './sealed-tables.ts';

type Row = { id: string; headers: string };

export const sealedHeaders: SealedTable = {
  async count(db) {
    const { midoffices } = await db
      .selectFrom('midoffice')
      .select((select) => select.fn.countAll<number>().as('midoffices'))
      .where('headers', 'is not', null)
      .executeTakeFirstOrThrow();
    return Number(midoffices);
  },
  read(db, atOnce) {
    return readPages<SealedEntry>(atOnce, async (last, limit) => {
      const rows = await db
        .selectFrom('midoffice')
        .select(['id', 'headers'])
        .where('headers', 'is not', null)
        .$narrowType<{ headers: string }>()
        .where('id', '>', last?.id ?? '')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(entryOf);
    });
  },
};

function entryOf(row: Row): SealedEntry {
  return {
    id: row.id,
    name: `A header of midoffice ${row.id}`,
    values: Array.from(sealedHeadersIn(row.headers), ([name, sealed]) => {
      return { under: sealedUnder(row.id, name), sealed };
    }),
    resealed(vault) {
      const headers = resealHeaders(vault, row);
      return headers === row.headers ? undefined : (db) => replace(db, row, headers);
    },
  };
}

function resealHeaders(vault: Vault, { id, headers }: Row): MidofficeRow['headers'] {
  const sealed = Array.from(sealedHeadersIn(headers), ([name, value]): [string, string] => {
    if (isCurrent(vault, value)) return [name, value];
    return [name, sealHeader(vault, id, name, openHeader(vault, id, name, value))];
  });
  return toStoredHeaders(new Map(sealed));
}

async function replace(db: Database, before: Row, headers: Row['headers'] | null) {
  const { numUpdatedRows } = await db
    .updateTable('midoffice')
    .set({ headers })
    .where('id', '=', before.id)
    .where('headers', '=', before.headers)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

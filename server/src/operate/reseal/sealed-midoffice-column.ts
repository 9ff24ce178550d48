/** A column of midoffices that has sealed values, for `bellhop reseal`: how it is counted, read and replaced. */
import { readPages } from '../../base/pages.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { Database } from '../../store/schema.ts';
import type { SealedEntry, SealedTable } from './sealed-tables.ts';

interface Contents extends Pick<SealedEntry, 'name' | 'values'> {
  /** What the column is to hold; the same as before if everything is under the current master key. */
  resealed(vault: Vault): string | null;
}

export function sealedMidofficeColumn(
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

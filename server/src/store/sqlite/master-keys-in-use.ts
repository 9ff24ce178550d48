/** The process that owns the folder notes its master keys in the database, for `bellhop reseal`. */
import type { Kysely } from 'kysely';
import { UNKNOWN_MASTER_KEY } from '../../base/sealing/sealed-key.ts';
import type { MasterKeysInUse } from '../master-keys-in-use.ts';
import { OF_PROCESSES } from '../move-marks.ts';
import type { Schema } from '../schema.ts';

const NAME = OF_PROCESSES.keysInUse;

export async function noteMasterKeysInUse(
  db: Kysely<Schema>,
  keyIds: readonly string[],
): Promise<void> {
  const value = keyIds.join(',');
  const [noted] = await read(db);
  if (noted?.value === value) return;
  await db
    .insertInto('meta')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Of the process that owns the folder now, or of the last one that did. */
export async function readNotedMasterKeys(db: Kysely<Schema>): Promise<MasterKeysInUse> {
  const [noted] = await read(db);
  const known = noted?.value.split(',') ?? [];
  return { current: known[0] ?? UNKNOWN_MASTER_KEY, known };
}

function read(db: Kysely<Schema>): Promise<{ value: string }[]> {
  return db.selectFrom('meta').select('value').where('name', '=', NAME).execute();
}

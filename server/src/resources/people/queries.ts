import type { BackOfficeDatabase, PersonRow } from '../../store/back-office/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';

export async function readPerson(
  db: BackOfficeDatabase,
  issuer: string,
  subject: string,
): Promise<PersonRow | undefined> {
  return db
    .selectFrom('person')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Reads the person and keeps others from changing them until the end of the transaction. */
export async function lockPerson(
  db: BackOfficeDatabase,
  issuer: string,
  subject: string,
): Promise<PersonRow | undefined> {
  return db
    .updateTable('person')
    .set({ issuer })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .returningAll()
    .executeTakeFirst();
}

export async function readPersonById(
  db: BackOfficeDatabase,
  id: string,
): Promise<PersonRow | undefined> {
  return db.selectFrom('person').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function newestPeople(db: BackOfficeDatabase, slice: Slice): Promise<PersonRow[]> {
  const query = db.selectFrom('person').selectAll();
  return readNewest(query, slice, { time: 'created_at', id: 'id' });
}

/** Records a sign-in of a person about whom nothing else has changed. */
export async function touchPerson(
  db: BackOfficeDatabase,
  id: string,
  nowMs: number,
): Promise<void> {
  await db.updateTable('person').set({ signed_in_at: nowMs }).where('id', '=', id).execute();
}

/** Inserts the person; if the issuer's subject is known already, updates the name, email and role instead. */
export async function putPerson(db: BackOfficeDatabase, row: PersonRow): Promise<PersonRow> {
  const { name, email, role, signed_in_at } = row;
  return db
    .insertInto('person')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ name, email, role, signed_in_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

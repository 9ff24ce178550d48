import type { BackOfficeDatabase, PersonRow } from './schema.ts';

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

/** Inserts the person; if the issuer's subject is known already, updates the name, email and role instead. */
export async function putPerson(db: BackOfficeDatabase, row: PersonRow): Promise<PersonRow> {
  const { name, email, role } = row;
  return db
    .insertInto('person')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['issuer', 'subject']).doUpdateSet({ name, email, role }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

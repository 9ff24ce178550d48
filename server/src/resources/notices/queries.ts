import { sql } from 'kysely';
import { isPostgres } from '../../store/engine.ts';
import type { ContactRow, Database, MailRow } from '../../store/schema.ts';

export async function readContacts(db: Database, partnerId: string): Promise<ContactRow[]> {
  return db
    .selectFrom('contact')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .orderBy('email')
    .execute();
}

export async function writeContact(db: Database, row: ContactRow): Promise<void> {
  const { notices } = row;
  await db
    .insertInto('contact')
    .values(row)
    .onConflict((conflict) => conflict.columns(['partner_id', 'email']).doUpdateSet({ notices }))
    .execute();
}

/** With its links, and the mails that it has not got yet. */
export async function deleteContact(db: Database, partnerId: string, email: string): Promise<void> {
  const ofContact = ['contact', 'contact_link'] as const;
  for (const table of ofContact) {
    await db
      .deleteFrom(table)
      .where('partner_id', '=', partnerId)
      .where('email', '=', email)
      .execute();
  }
  // Kept, because what was asked of a stranger counts.
  await db
    .updateTable('mail')
    .set({ due_at: null, last_error: 'The contact was removed.' })
    .where('partner_id', '=', partnerId)
    .where('recipient', '=', email)
    .where('due_at', 'is not', null)
    .execute();
}

export async function insertMail(db: Database, row: MailRow): Promise<void> {
  await db.insertInto('mail').values(row).execute();
}

/**
 * Until the end of the transaction, nobody else counts the mails to this address, for whichever partner. Whoever locks
 * several does so in their order, otherwise two could wait for each other.
 */
export async function lockRecipient(db: Database, email: string): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`select pg_advisory_xact_lock(hashtext('bellhop recipients'), hashtext(${email}))`.execute(
    db,
  );
}

/** When confirmations were asked for since then: by this partner, and of this address by whomever. */
export async function confirmationTimes(
  db: Database,
  whose: { partner_id: string } | { recipient: string },
  sinceMs: number,
): Promise<number[]> {
  const [column, value] = Object.entries(whose)[0] as ['partner_id' | 'recipient', string];
  const rows = await db
    .selectFrom('mail')
    .select('created_at')
    .where(column, '=', value)
    .where('created_at', '>', sinceMs)
    .where('notice_id', 'is', null)
    .where('portal_link_id', 'is', null)
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** When links to the portal were mailed to this address since then, for whichever partner. */
export async function mailedLinkTimes(
  db: Database,
  recipient: string,
  sinceMs: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('mail')
    .select('created_at')
    .where('recipient', '=', recipient)
    .where('created_at', '>', sinceMs)
    .where('portal_link_id', 'is not', null)
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at }) => created_at);
}

export type OfferedContact = ContactRow & { partner_name: string };

/** The contact that a link would confirm. */
export async function readLinkedContact(
  db: Database,
  digest: string,
  nowMs: number,
): Promise<OfferedContact | undefined> {
  return db
    .selectFrom('contact_link')
    .innerJoin('contact', (join) =>
      join
        .onRef('contact.partner_id', '=', 'contact_link.partner_id')
        .onRef('contact.email', '=', 'contact_link.email'),
    )
    .innerJoin('partner', 'partner.id', 'contact.partner_id')
    .selectAll('contact')
    .select('partner.name as partner_name')
    .where('contact_link.digest', '=', digest)
    .where('contact_link.expires_at', '>', nowMs)
    .executeTakeFirst();
}

/** False if it was confirmed already. Its links have done their work. */
export async function markConfirmed(
  db: Database,
  { partner_id, email }: Pick<ContactRow, 'partner_id' | 'email'>,
  nowMs: number,
): Promise<boolean> {
  await db
    .deleteFrom('contact_link')
    .where('partner_id', '=', partner_id)
    .where('email', '=', email)
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('contact')
    .set({ confirmed_at: nowMs })
    .where('partner_id', '=', partner_id)
    .where('email', '=', email)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Of these notices, or of these links to the portal. */
export async function mailsOf(
  db: Database,
  what: 'notice_id' | 'portal_link_id',
  ids: readonly string[],
): Promise<MailRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('mail').selectAll().where(what, 'in', ids).orderBy('recipient').execute();
}

import type { Database, NoteRow } from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';

export async function insertNote(db: Database, row: NoteRow): Promise<void> {
  await db.insertInto('note').values(row).execute();
}

/** The notes on one record. */
export async function newestNotes(db: Database, slice: Slice, subject: string): Promise<NoteRow[]> {
  const query = db.selectFrom('note').selectAll().where('subject', '=', subject);
  return readNewest(query, slice, { time: 'at', id: 'id' });
}

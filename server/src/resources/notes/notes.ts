/** Notes that people leave on a record for their colleagues. Nobody can change or delete them. */

import type { Static } from 'typebox';
import { newId } from '../../base/ids.ts';
import type { Database, NoteRow } from '../../store/schema.ts';
import { findDelivery } from '../deliveries/deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { exampleId, like, story } from '../examples.ts';
import { anyText, input, reply, time } from '../forms.ts';
import { findKey } from '../keys/key.ts';
import { findMidoffice } from '../midoffices/midoffice.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { findPartner } from '../partners/partner.ts';
import { insertNote, newestNotes } from './queries.ts';

const LONGEST_NOTE = 4_000;

export const NewNote = input('NewNote', { text: like(story.note, anyText(1, LONGEST_NOTE)) });

export const Note = reply('Note', {
  id: like(exampleId('not', 'f6')),
  at: time,
  author: like(story.actor, 'The name and id of the token, as in the audit.'),
  text: like(story.note),
});

/** Ids of different kinds never look the same, so a note needs only the id of its record. */
const findRecord = {
  partner: findPartner,
  key: findKey,
  midoffice: findMidoffice,
  delivery: findDelivery,
} satisfies Record<string, (db: Database, id: string) => Promise<unknown>>;

/** A record that can have notes. */
export interface NoteSubject {
  kind: keyof typeof findRecord;
  id: string;
}

function showNote({ id, at, author, text }: NoteRow): Static<typeof Note> {
  return { id, at: new Date(at).toISOString(), author, text };
}

export async function addNote(
  { store }: SupportEnvironment,
  actor: string,
  { kind, id: subject }: NoteSubject,
  { text }: Static<typeof NewNote>,
): Promise<Static<typeof Note>> {
  return store.change(actor, async ({ db, now, audit }) => {
    await findRecord[kind](db, subject);
    const row: NoteRow = { id: newId('not', now), subject, at: now, author: actor, text };
    await insertNote(db, row);
    await audit('note.create', subject, null, { note_id: row.id, text });
    return showNote(row);
  });
}

export async function listNotes(
  { store }: SupportEnvironment,
  { kind, id }: NoteSubject,
  request: PageRequest,
): Promise<Page<Static<typeof Note>>> {
  await findRecord[kind](store.db, id);
  return pageOf(request, {
    read: (slice) => newestNotes(store.db, slice, id),
    positionOf: (row) => [row.at, row.id],
    show: showNote,
  });
}

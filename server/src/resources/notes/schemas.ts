import Type from 'typebox';
import { anyText, input, reply, time } from '../forms.ts';
import { LONGEST_NOTE } from './notes.ts';

export const NewNote = input('NewNote', { text: anyText(1, LONGEST_NOTE) });

export const Note = reply('Note', {
  id: Type.String(),
  at: time,
  author: Type.String({ description: 'The name and id of the token, as in the audit.' }),
  text: Type.String(),
});

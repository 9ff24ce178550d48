/**
 * Every text of the portal's own pages is in the file of a language; console/src/words has those of the parts that it
 * shares with the console. Another language is another file of the same type in both, and an entry in language.ts.
 */
import { type Language, language } from '../../../console/src/words/language.ts';
import { en } from './en.ts';

export type Words = typeof en;

const languages: Record<Language, Words> = { en };

export const words = languages[language];

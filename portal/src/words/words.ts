/**
 * Every text of the portal's own pages is in the file of a language. Another language is another file of the same type,
 * and a choice here.
 */
import { en } from './en.ts';

export type Words = typeof en;

export const words: Words = en;

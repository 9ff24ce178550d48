/**
 * The words of the parts that the console and the portal share. A test follows the portal's imports and finds texts that
 * are elsewhere (portal/src/words/words.test.ts). Pages that only the console has keep their own: support speaks English.
 *
 * Another language is another folder of the same type. Where a sentence encloses a time or a link, its function takes
 * that as a part, so a language decides the order.
 *
 * What the server writes is English, too: details of problems, advice on a failed attempt, lines of a receiver's
 * report, sentences of the activity. Each comes with a code or a name (`code`, `failure_code`, the line's `name`, the
 * action), by which another language would find its own sentence, and show the server's where it has none.
 */
import { en } from './en/en.ts';
import { type Language, language } from './language.ts';

export type Words = typeof en;

const languages: Record<Language, Words> = { en };

export const words = languages[language];

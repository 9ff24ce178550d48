/**
 * The words of the parts that the console and the portal share. A test follows the portal's imports and finds texts that
 * are elsewhere (portal/src/words/words.test.ts). Pages that only the console has keep their own: support speaks English.
 *
 * Another language is another folder of the same type. Where a sentence encloses a time or a link, its function takes
 * that as a part, so a language decides the order.
 *
 * What the server writes is English, too. Each such text comes with a code, by which another language would find its own
 * sentence, and show the server's where it has none: the `code` of a problem or a refused call, the `failure_code` of an
 * attempt, the `name` of a line of a receiver's report, the `action` of an activity, the `kind` of a notice. What a notice
 * fills in, such as an order's id, is only in its text so far.
 */
import { en } from './en/en.ts';
import { type Language, language } from './language.ts';

export type Words = typeof en;

const languages: Record<Language, Words> = { en };

export const words = languages[language];

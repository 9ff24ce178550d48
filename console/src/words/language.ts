/**
 * The language of the pages. It is chosen here and nowhere else: the words of the shared parts, the words of the portal
 * and the forms of numbers, dates and times all follow it. It is fixed before any of them is loaded, so that tables of
 * words can be made once. The `lang` in the pages' index.html must agree with it.
 *
 * English dates are those of Great Britain: the day comes before the month, and a day has 24 hours.
 */
const locales = { en: 'en-GB' };
export type Language = keyof typeof locales;

export const language: Language = 'en';
export const locale = locales[language];

/**
 * Characters that are not seen and change how the text around them is read: C1 controls such as NEL, the separators of
 * lines and paragraphs, and the marks that turn the direction of writing. A name that has one could add a line to a mail,
 * or show an address backwards. Marks that scripts need, such as U+200F and joiners, are not among them.
 */
const ANY_HIDDEN_MARK = /[\u0080-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** For a set of characters in the pattern of a document. */
export const HIDDEN_MARKS = ANY_HIDDEN_MARK.source.slice(1, -1);

export function withoutHiddenMarks(text: string): string {
  return text.replace(ANY_HIDDEN_MARK, ' ');
}

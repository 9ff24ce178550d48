/** The entries of a table that has one for each word of a closed set, in the order of the table. */
export function entriesOf<Word extends string, Value>(
  table: Readonly<Record<Word, Value>>,
): [Word, Value][] {
  return Object.entries(table) as [Word, Value][];
}

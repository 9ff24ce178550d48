/** What an import gives to a record: the fields of a line, and the columns that it writes and compares. */

import { key } from '../keys/key.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { partner } from '../partners/partner.ts';
import { type Column, columnsIn, givenOf, type RecordTable, show, valueIn } from '../record.ts';
import { Type } from '../type.ts';

/** By the kind of their lines. */
export const records = { partner, key, midoffice };
export type StagedKind = keyof typeof records;

/** What the lines of a kind refer to. */
export const REFERRED = {
  key: 'partner',
  midoffice: 'key',
  partner: 'midoffice',
} as const satisfies Record<StagedKind, StagedKind>;

/** The names of the fields that a line may have: all that may be imported, except references, which have a ref. */
type ImportedNames<Fields> = {
  [N in keyof Fields]: Fields[N] extends { isImported: boolean; given: object }
    ? Fields[N] extends { refersTo: string }
      ? never
      : N
    : never;
}[keyof Fields] &
  string;

function importedNames<Row, Fields extends object>({ fields }: RecordTable<Row, Fields>) {
  const names = columnsIn(fields)
    .filter(([, one]) => one.isImported && 'given' in one && one.refersTo === undefined)
    .map(([name]) => name);
  return names as ImportedNames<Fields>[];
}

/** Each of them is optional: what a line leaves out keeps its value, or gets its default in a new record. */
export function importedOf<Row, Fields extends object>(table: RecordTable<Row, Fields>) {
  return Type.Partial(Type.Object(givenOf(table, importedNames(table)))).properties;
}

/** The fields of a line, as an export shows them. */
export function exportedFrom<Row extends object, Fields extends object>(
  table: RecordTable<Row, Fields>,
  row: Row,
) {
  const shown = show(table, row);
  const names = importedNames(table);
  return Object.fromEntries(names.map((name) => [name, valueIn(shown, name)])) as Pick<
    typeof shown,
    ImportedNames<Fields> & keyof typeof shown
  >;
}

/** The columns that an import may change. Found once, because every record of a file is compared by them. */
export const changeable = {
  partner: changeableIn(partner.fields),
  key: changeableIn(key.fields),
  midoffice: changeableIn(midoffice.fields),
};

function changeableIn(fields: object): [name: string, column: Column][] {
  return columnsIn(fields).filter(([, { isImported }]) => isImported);
}

export function isChanged(kind: StagedKind, before: object, after: object): boolean {
  return changeable[kind].some(([column]) => valueIn(before, column) !== valueIn(after, column));
}

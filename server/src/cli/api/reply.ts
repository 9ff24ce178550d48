/** Any reply of the back office for people: its lists as tables, everything else one field per line, by its own name. */
import { aligned, inWords, plural } from '../support/words.ts';
import { paint, printable, shownId, table } from '../terminal.ts';

type Row = Map<string, string>;

export function replyText(reply: unknown, columns = process.stdout.columns): string {
  if (reply === null || reply === undefined) return 'Done.';
  if (typeof reply !== 'object') return printable(`${reply}`);
  const { next_cursor: _, ...shown } = reply as Record<string, unknown>;
  const facts = flat(shown);
  const lists = listsIn(shown).map(([name, list]) => {
    const text = list.length === 0 ? 'There are none.' : tableOf(list.map(flat), columns);
    return name === 'items' ? text : `${paint('bold', printable(name))}\n${text}`;
  });
  return [...(facts.size > 0 ? [aligned([...facts])] : []), ...lists].join('\n\n');
}

/** The names of fields in fields are joined by a dot, as people type them. What is empty is left out. */
function flat(record: object): Row {
  const row: Row = new Map();
  for (const [name, value] of Object.entries(record)) {
    if (isObject(value)) {
      for (const [inner, text] of flat(value)) row.set(`${name}.${inner}`, text);
      continue;
    }
    const text = inWords(value);
    if (text !== '') row.set(name, text);
  }
  return row;
}

/** Lists of records, at any depth. The list of a page is there even if it is empty. */
function listsIn(record: object, before = ''): [name: string, list: object[]][] {
  return Object.entries(record).flatMap(([name, value]): [string, object[]][] => {
    if (isObject(value)) return listsIn(value, `${before}${name}.`);
    if (!Array.isArray(value)) return [];
    const isList = value.length > 0 ? value.every(isObject) : before + name === 'items';
    return isList ? [[before + name, value]] : [];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** On a terminal only the columns that fit. `--json` has all of them. */
function tableOf(rows: readonly Row[], columns: number | undefined): string {
  const found = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  // The record's own fields say more than those of what it contains.
  const names = [false, true].flatMap((isInner) =>
    found.filter((name) => name.includes('.') === isInner),
  );
  const cells = names.map((name) => [
    printable(name),
    ...rows.map((row) => shownId(row.get(name) ?? '')),
  ]);
  let width = 0;
  const shown = cells.filter((column, at) => {
    const wider = width + Math.max(...column.map((cell) => cell.length)) + (at === 0 ? 0 : 2);
    if (at > 0 && columns && wider > columns) return false;
    width = wider;
    return true;
  });
  const lines = rows.map((_, at) => shown.map((column) => column[at + 1] ?? ''));
  const left = cells.length - shown.length;
  const note =
    left === 0
      ? []
      : [paint('dim', `${plural(left, 'more field', 'more fields')}: --json shows all.`)];
  return [
    table(
      shown.map(([name = '']) => name),
      lines,
    ),
    ...note,
  ].join('\n');
}

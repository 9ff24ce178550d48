/** What `bellhop api` says of the operations: the list of them, and the fields of one. */
import { helpWidth } from '../help-style.ts';
import { paint, wrapped } from '../terminal.ts';
import { type Field, takes } from './field.ts';
import { nameOf } from './fields.ts';
import type { Operation, Operations } from './operations.ts';

/** By tag, one line each. On a terminal, a line is cut where it would be broken. */
export function operationList(
  { tags }: Operations,
  shown: readonly Operation[],
  columns = process.stdout.columns,
): string {
  const groups = tags.flatMap(({ name, description }) => {
    const here = shown.filter(({ tag }) => tag === name);
    if (here.length === 0) return [];
    const width = Math.max(...here.map(({ path }) => path.length));
    const lines = here.map(({ method, path, summary }) =>
      cut(`  ${method.padEnd('DELETE'.length)} ${path.padEnd(width)}  ${summary}`, columns),
    );
    return [[`${paint('bold', name)}  ${paint('dim', description)}`, ...lines].join('\n')];
  });
  return groups.join('\n\n');
}

function cut(line: string, columns: number | undefined): string {
  return columns && line.length > columns ? `${line.slice(0, columns - 1)}…` : line;
}

export function operationHelp(operation: Operation, columns = helpWidth()): string {
  const { query, body } = operation;
  const isJson = body === undefined || Object.keys(body.fields).length > 0;
  const fields = [...rowsOf(query), ...rowsOf(body?.fields ?? {})];
  const own = isJson
    ? []
    : [['-', `its body (${body.type}) comes from the standard input`] as const];
  const rows = [...fields, ...own];
  const width = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.map(
    ([name, text]) =>
      `  ${name}`.padEnd(width) + wrapped(text, ' '.repeat(width), columns).trimStart(),
  );
  return [
    paint('bold', nameOf(operation)),
    wrapped(`${operation.summary}.`, '', columns),
    ...(lines.length > 0 ? ['', paint('bold', 'Fields:'), ...lines] : ['', 'It takes no fields.']),
  ].join('\n');
}

/** An object as its fields, named as people type them. Those of an object that may be left out can be left out too. */
function rowsOf(
  fields: Record<string, Field>,
  before = '',
  isNeeded = true,
): (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const isRequired = isNeeded && field.isRequired;
    if (field.fields && field.type === 'object') {
      return rowsOf(field.fields, `${before}${name}.`, isRequired);
    }
    const shown = field.ofAnyName ? `${before}${name}.…` : before + name;
    const description = field.description.replaceAll('`', '');
    const words = [takes(field.ofAnyName ?? field), ...(description ? [description] : [])];
    return [[shown, `${isRequired ? 'required; ' : ''}${words.join('. ')}`] as const];
  });
}

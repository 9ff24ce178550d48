/** The help of a command, in the form that `bellhop` has. */
import { type DeclaredCommand, type DeclaredOption, either } from './declared.ts';
import { paint } from './terminal.ts';

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;
const HELP = { flags: '-h, --help', description: 'show this help' };

type Row = readonly [term: string, text: string];

export function commandHelp(
  program: string,
  command: DeclaredCommand,
  columns: number = process.stdout.columns || WIDEST,
): string {
  const { name, usage, description, argument, options, examples } = command;
  const width = Math.min(columns, WIDEST);
  const before = `${program} ${name} `;
  const shown = Object.values(options).filter((option: DeclaredOption) => !option.isHidden);
  return [
    `${paint('bold', 'Usage:')} ${usage.map((one) => before + one).join(`\n${' '.repeat('Usage: '.length)}`)}`,
    wrapped(description, width).join('\n'),
    ...(argument ? [section('Arguments', [[argument.name, argument.description]], width)] : []),
    section(
      'Options',
      [...shown, HELP].map((option): Row => [option.flags, described(option)]),
      width,
    ),
    `Examples:\n${examples.map((one) => `  ${program} ${one}`).join('\n')}\n`,
  ].join('\n\n');
}

export function programHelp(
  program: string,
  description: string,
  commands: readonly DeclaredCommand[],
  columns: number = process.stdout.columns || WIDEST,
): string {
  const width = Math.min(columns, WIDEST);
  const rows = commands.map(({ name, summary }): Row => [name, summary]);
  const options: Row[] = [
    ['-v, --version', 'print the version'],
    [HELP.flags, HELP.description],
  ];
  return [
    `${paint('bold', 'Usage:')} ${program} <command> [options]`,
    wrapped(description, width).join('\n'),
    section('Commands', rows, width),
    section('Options', options, width),
    `"${program} <command> --help" describes a command.\nExit codes: 0 success, 1 failure, 2 bad usage.\n`,
  ].join('\n\n');
}

function described(option: DeclaredOption): string {
  const { description, choices, env } = option;
  const byDefault = option.shownDefault ?? option.default;
  const facts = [
    ...(choices ? [either(choices)] : []),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
    ...(env ? [`env: ${env}`] : []),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

function section(title: string, rows: readonly Row[], width: number): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 4;
  const lines = rows.map(
    ([term, text]) =>
      `  ${term}`.padEnd(left) + wrapped(text, width - left).join(`\n${' '.repeat(left)}`),
  );
  return `${paint('bold', `${title}:`)}\n${lines.join('\n')}`;
}

/** Broken at spaces. */
function wrapped(text: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}

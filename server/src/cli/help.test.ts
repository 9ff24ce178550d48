import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { loadProgram } from './program.ts';

const BELLHOP = fileURLToPath(new URL('../../bin/bellhop.js', import.meta.url));
const bellhop = (...args: string[]) =>
  execFileSync(process.execPath, [BELLHOP, ...args], { encoding: 'utf8' });

/** Every command and action that the help shows, by its full name. */
async function allCommands(): Promise<Map<string, CommandUnknownOpts>> {
  const program = await loadProgram(['help', '--markdown']);
  const found = new Map<string, CommandUnknownOpts>();
  const add = (command: CommandUnknownOpts, name: string) => {
    found.set(name, command);
    for (const one of command.createHelp().visibleCommands(command)) {
      add(one, `${name} ${one.name()}`);
    }
  };
  add(program, 'bellhop');
  return found;
}

function helpOf(command: CommandUnknownOpts, columns: number): string {
  let text = '';
  const writeOut = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => columns }).outputHelp();
  return text;
}

test('docs/command-line.md matches the commands (if not: npx bellhop help --markdown)', () => {
  const file = new URL('../../../docs/command-line.md', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(bellhop('help', '--markdown'));
});

test('every command has a summary, and a help with usage and examples', async () => {
  const { bellhop: program, ...others } = Object.fromEntries(await allCommands());
  expect(Object.keys(others)).toEqual(
    expect.arrayContaining([
      'bellhop serve',
      'bellhop config',
      'bellhop overview',
      'bellhop tokens create',
      'bellhop completion',
    ]),
  );
  for (const [name, command] of Object.entries(others)) {
    const help = helpOf(command, 100);
    expect([name, command.summary()]).toEqual([name, expect.stringMatching(/^[a-z].*[^.]$/)]);
    expect([name, help.startsWith(`Usage: ${name}`)]).toEqual([name, true]);
    expect([name, help]).toEqual([name, expect.stringMatching(/^Examples:$/m)]);
  }
});

test.each([80, 120])('every help fits a terminal of %i columns', async (columns) => {
  for (const [name, command] of await allCommands()) {
    const lines = helpOf(command, columns).split('\n');
    // An example is a single line, so that it can be copied.
    const tooLong = lines.filter((line) => line.length > columns && !/^ {2}bellhop /.test(line));
    expect([name, tooLong]).toEqual([name, []]);
  }
});

test('"help" and "--help" print the same', () => {
  expect(bellhop('help')).toBe(bellhop('--help'));
  expect(bellhop('help', 'overview')).toBe(bellhop('overview', '--help'));
  expect(bellhop('help', 'tokens', 'create')).toBe(bellhop('tokens', 'create', '--help'));
});

test('the commands of docs/support.md exist, with their options', async () => {
  const commands = await allCommands();
  const page = readFileSync(new URL('../../../docs/support.md', import.meta.url), 'utf8');
  const lines = [...page.matchAll(/^npx (bellhop .+)$/gm)].map(([, line = '']) => line);
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    if (line.startsWith('bellhop api ')) continue;
    const command = commands.get(line.split(' ', 3).join(' '));
    const known = command?.options.map(({ long }) => long) ?? [];
    const used = line.match(/--[a-z-]+/g) ?? [];
    expect([line, command !== undefined, used.filter((flag) => !known.includes(flag))]).toEqual([
      line,
      true,
      [],
    ]);
  }
});

/** What a shell can complete: the declarations of the commands, reduced to words and their meaning. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { isShown } from './help.ts';

export interface CompletableOption {
  /** Such as `--form`. */
  flag: string;
  description: string;
  takesValue: boolean;
  /** The possible values, if they can be listed. */
  choices: readonly string[];
}

export interface CompletableCommand {
  /** Empty for the program itself, `['tokens', 'create']` for an action of a command. */
  path: readonly string[];
  /** Words that can follow: the names of its actions, or the choices of its first argument. */
  words: readonly { word: string; description: string }[];
  options: readonly CompletableOption[];
}

const HELP = { word: 'help', description: 'show the help of a command' };

/** The program first, then every command and its actions. */
export function completable(program: CommandUnknownOpts): CompletableCommand[] {
  const [root, ...commands] = describe(program, []) as [CompletableCommand];
  return [
    { ...root, words: [...root.words, HELP] },
    ...commands,
    { path: ['help'], words: root.words, options: [] },
  ];
}

function describe(command: CommandUnknownOpts, path: string[]): CompletableCommand[] {
  const shown = command.commands.filter(isShown);
  const [argument] = command.registeredArguments;
  const choices = (argument?.argChoices ?? []).map((word) => ({ word, description: '' }));
  const names = shown.map((one) => ({ word: one.name(), description: one.summary() }));
  return [
    {
      path,
      words: [...names, ...choices],
      options: command.createHelp().visibleOptions(command).map(describeOption),
    },
    ...shown.flatMap((one) => describe(one, [...path, one.name()])),
  ];
}

function describeOption({ long, description, required, argChoices }: Option): CompletableOption {
  return { flag: long ?? '', description, takesValue: required, choices: argChoices ?? [] };
}

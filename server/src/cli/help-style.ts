/** How the help of a command looks, on a terminal and in the documentation. */
import { either } from '@bellhop/partner/command-line';
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { paint } from './terminal.ts';

/** Longer lines are hard to read, however wide the terminal is. */
export const WIDEST_HELP = 100;

export function helpWidth(): number {
  return Math.min(process.stdout.columns ?? WIDEST_HELP, WIDEST_HELP);
}

export const helpStyle = {
  styleTitle: (title: string) => paint('bold', title),
  // The arguments of commands are left out: `bellhop --help` has not loaded them.
  subcommandTerm: (command: CommandUnknownOpts) =>
    command.parent?.parent
      ? [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ')
      : command.name(),
  optionDescription: (option: Option) =>
    described(option, [
      ...choicesOf(option),
      ...defaultOf(option),
      ...(option.envVar ? [`env: ${option.envVar}`] : []),
    ]),
  argumentDescription: (argument: Argument) => described(argument, choicesOf(argument)),
};

/** Examples as `addHelpText('after', …)` takes them. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

type Described = Pick<Option, 'description' | 'argChoices'>;

function described({ description }: Described, facts: string[]): string {
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

function choicesOf({ argChoices }: Described): string[] {
  return argChoices ? [either(argChoices)] : [];
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string[] {
  if (defaultValueDescription) return [`default: ${defaultValueDescription}`];
  return defaultValue === undefined ? [] : [`default: ${defaultValue}`];
}

function argumentTerm(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

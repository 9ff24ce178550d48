/** What holds for every command: how its help looks, and how it says that it was called wrongly. */
import { either } from '@bellhop/partner/command-line';
import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings';
import { fileVariable, withSecretFiles } from '../base/config/secret-files.ts';
import { UsageError } from './failures.ts';
import { helpStyle, helpWidth } from './help-style.ts';

export function applyCommandDefaults(command: CommandUnknownOpts): void {
  command
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp(helpStyle)
    .configureOutput({ getOutHelpWidth: helpWidth, writeErr() {}, outputError() {} })
    .exitOverride((error) => {
      const sentence = usageSentence(command, error);
      throw sentence === undefined ? error : new UsageError(sentence);
    });
  refuseOptionsAsValues(command);
  for (const subcommand of command.commands) applyCommandDefaults(subcommand);
}

/** `--token --json`: commander would take "--json" for the token. */
function refuseOptionsAsValues(command: CommandUnknownOpts): void {
  for (const { long, required } of command.options) {
    if (!required || !long) continue;
    command.on(`option:${long.slice(2)}`, (value: string) => {
      if (!value.startsWith('--')) return;
      throw new UsageError(`"${long}" needs a value, not "${value}". ${seeHelp(command)}`);
    });
  }
}

/** Of commands. Those of the server are marked in base/config/settings.ts. */
const SECRETS = ['BELLHOP_TOKEN', 'BELLHOP_API_KEY'];

/** Only those that the command takes: it must not fail because of a variable that it does not use. */
export function readSecretsOf(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const { envVar } = option;
    if (envVar === undefined || !SECRETS.includes(envVar)) continue;
    if (process.env[fileVariable(envVar)] === undefined) continue;
    const problems: string[] = [];
    const value = withSecretFiles(process.env, [envVar], problems)[envVar];
    if (problems[0]) throw new UsageError(problems[0]);
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    if (value && !isGiven) command.setOptionValueWithSource(name, value.trim(), 'env');
  }
}

/** Undefined if nothing is wrong: the help or the version was asked for. */
function usageSentence(
  command: CommandUnknownOpts,
  { code, message }: CommanderError,
): string | undefined {
  const name = `"${fullName(command)}"`;
  const [quoted = ''] = /(?<=')[^']*(?=')/.exec(message) ?? [];
  switch (code) {
    case 'commander.helpDisplayed':
    case 'commander.version':
      return undefined;
    case 'commander.help':
      return `The word after ${name} must be ${either(names(command))}. ${seeHelp(command)}`;
    case 'commander.unknownCommand':
      return unknownCommand(command, suggestion(message));
    case 'commander.unknownOption':
      return `${unknownOption(command, quoted)}${suggestion(message)} ${seeHelp(command)}`;
    case 'commander.excessArguments': {
      const extra = command.args[command.registeredArguments.length];
      return `${name} has no "${extra}". ${seeHelp(command)}`;
    }
    case 'commander.optionMissingArgument':
      return `"${flagOf(quoted)}" needs a value. ${seeHelp(command)}`;
    case 'commander.missingMandatoryOptionValue': {
      const option = command.options.find(({ flags }) => flags === quoted);
      return `${name} needs ${quoted}: ${option?.description}. ${seeHelp(command)}`;
    }
    case 'commander.missingArgument': {
      const argument = command.registeredArguments.find((one) => one.name() === quoted);
      return `${name} needs <${quoted}>: ${argument?.description}. ${seeHelp(command)}`;
    }
    case 'commander.conflictingOption': {
      const [one, other] = [...message.matchAll(/'(--[a-z-]+)/g)].map(([, flag]) => flag);
      return `${one} and ${other} cannot be used together.`;
    }
    case 'commander.invalidArgument':
      return invalidChoice(command, message);
    default:
      return `${message} ${seeHelp(command)}`;
  }
}

function seeHelp(command: CommandUnknownOpts): string {
  return `See "${fullName(command)} --help".`;
}

function fullName(command: CommandUnknownOpts): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

function unknownCommand(command: CommandUnknownOpts, hint: string): string {
  const [given] = command.args;
  if (!command.parent) return `There is no command "${given}".${hint} ${seeHelp(command)}`;
  return `The word after "${fullName(command)}" must be ${either(names(command))}, not "${given}".${hint} ${seeHelp(command)}`;
}

function unknownOption(command: CommandUnknownOpts, given: string): string {
  const [flag = ''] = given.split('=');
  const has = ({ options }: CommandUnknownOpts) => options.some(({ long }) => long === flag);
  if (has(command)) return `"${flag}" takes no value.`;
  if (command.commands.some(has)) return `"${flag}" goes after ${either(names(command))}.`;
  return `"${fullName(command)}" has no "${given}".`;
}

function names(command: CommandUnknownOpts): string[] {
  return command.commands.map((one) => one.name());
}

/** Only choices are refused in this way; other values are refused by their own readers. */
function invalidChoice(command: CommandUnknownOpts, message: string): string {
  const [, value, subject = ''] =
    /^error: command-argument value '([\s\S]*)' is invalid for argument '(.+?)'/.exec(message) ??
    [];
  const argument = command.registeredArguments.find((one) => one.name() === subject);
  if (argument) return mustBe(`<${subject}>`, argument.argChoices, value);
  const [, flags = '', given] =
    /^error: option '(.+?)' argument '([\s\S]*)' is invalid/.exec(message) ?? [];
  const option = command.options.find((one) => one.flags === flags);
  return mustBe(flagOf(flags), option?.argChoices, given);
}

function mustBe(subject: string, choices: readonly string[] = [], value = ''): string {
  return `${subject} must be ${either(choices)}, not ${JSON.stringify(value)}.`;
}

function flagOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

function suggestion(message: string): string {
  const [, nearest] = /\(Did you mean (?:one of )?(.+)\?\)/.exec(message) ?? [];
  if (nearest === undefined) return '';
  return ` Did you mean ${either(nearest.split(', ').map((one) => `"${one}"`))}?`;
}

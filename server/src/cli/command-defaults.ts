/** What holds for every command: how its help looks, and how it says that it was called wrongly. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { fileVariable, withSecretFiles } from '../base/config/secret-files.ts';
import { UsageError } from './failures.ts';
import { helpStyle, helpWidth } from './help-style.ts';
import { seeHelp, usageSentence } from './usage-sentences.ts';

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

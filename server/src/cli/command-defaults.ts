/** What holds for every command: how its help looks, and how it says that it was called wrongly. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
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

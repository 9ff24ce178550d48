/** Commands and options that the partner package declares, for commander. */
import type { DeclaredCommand, DeclaredOption } from '@bellhop/partner/command-line';
import { Command, Option } from '@commander-js/extra-typings';
import { examples } from './help-style.ts';

export function commandOf({ usage, description, argument, ...declared }: DeclaredCommand) {
  const command = new Command()
    .usage(usage.join(`\n       bellhop ${declared.name} `))
    .description(description)
    .argument(`[${argument?.name}]`, argument?.description);
  for (const option of Object.values(declared.options)) command.addOption(optionOf(option));
  return command.addHelpText(
    'after',
    examples(...declared.examples.map((example) => `bellhop ${example}`)),
  );
}

export function optionOf(declared: DeclaredOption): Option {
  const option: Option = new Option(declared.flags, declared.description);
  if (declared.choices) option.choices(declared.choices);
  if (declared.read) option.argParser(declared.read as (text: string, earlier: unknown) => unknown);
  if (declared.env) option.env(declared.env);
  if (declared.default !== undefined) option.default(declared.default, declared.shownDefault);
  return option.hideHelp(declared.isHidden ?? false);
}

import { describeSettings, readConfig } from '../config/config.ts';
import { settingsDocument } from '../config/settings-document.ts';
import type { Command } from './main.ts';
import { refuseArguments } from './serve.ts';

export const configCommand: Command = {
  summary: 'list the settings with their meaning, default and current value',
  help: `Usage: bellhop config [--json | --markdown]

Lists every setting: name, meaning, default, and the value in force. Secrets are shown as "(set)".
Fails, naming the setting, if one of them is not valid. With --markdown it prints the page of the
documentation, which has no values in force.

Examples:
  bellhop config
  bellhop config --json | jq -r '.[].name'`,
  async run(args) {
    const [form] = args;
    const asJson = form === '--json';
    const asMarkdown = form === '--markdown';
    refuseArguments('config', asJson || asMarkdown ? args.slice(1) : args);
    if (asMarkdown) {
      process.stdout.write(settingsDocument());
      return 0;
    }
    const described = describeSettings(process.env);
    if (asJson) {
      console.log(JSON.stringify(described, null, 2));
    } else {
      for (const { name, meaning, default: byDefault, current } of described) {
        console.log(`${name}\n  ${meaning}\n  default: ${byDefault}`);
        if (current !== byDefault) console.log(`  now:     ${current}`);
        console.log();
      }
    }
    readConfig(process.env);
    return 0;
  },
};

import { Command, Option } from '@commander-js/extra-typings';
import { describeSettings, readConfig } from '../base/config/config.ts';
import { chartSettings, settingsDocument } from '../base/config/settings-document.ts';
import { examples } from './help-style.ts';
import { wrapped } from './terminal.ts';

export const configCommand = new Command()
  .description(
    'Lists every setting with its meaning, its default and the value in force. Secrets are shown only as "(set)", or as the file that holds them. If settings are invalid, it names each of them and exits with 2.',
  )
  .addOption(new Option('--json', 'print the settings as JSON').conflicts('markdown'))
  .option('--markdown', 'print the page of the documentation, without the values in force')
  .addOption(new Option('--chart', 'print the list that the Helm chart checks').hideHelp())
  .addHelpText('after', examples('bellhop config', "bellhop config --json | jq -r '.[].name'"))
  .action(({ json, markdown, chart }) => {
    if (markdown || chart) {
      process.stdout.write(chart ? chartSettings() : settingsDocument());
      return;
    }
    const described = describeSettings(process.env);
    if (json) {
      console.log(JSON.stringify(described, null, 2));
    } else {
      for (const { name, file_variable, meaning, default: byDefault, current } of described) {
        console.log(file_variable ? `${name}, or ${file_variable}` : name);
        console.log(`${wrapped(meaning, '  ')}\n  default: ${byDefault}`);
        if (current !== byDefault) console.log(`  now:     ${current}`);
        console.log();
      }
    }
    readConfig(process.env);
  });

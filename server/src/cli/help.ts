/** `bellhop help`, and the documentation's page on the command line, both from the declarations. */
import { Argument, Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { UsageError } from './failures.ts';
import { WIDEST_HELP } from './help-style.ts';
import { SERVE_EXITS } from './serve-exits.ts';

export const helpCommand = new Command()
  .description('Shows the help of a command, or the list of all commands.')
  .addArgument(new Argument('[command...]', 'the command, such as overview or tokens create'))
  .addOption(new Option('--markdown', 'print the page of the documentation').hideHelp())
  .action(async (names, { markdown }, command) => {
    const program = command.parent as CommandUnknownOpts;
    if (markdown) process.stdout.write(commandLineDocument(program));
    else (await find(program, names)).outputHelp();
  });

async function find(program: CommandUnknownOpts, names: string[]): Promise<CommandUnknownOpts> {
  let found = program;
  for (const [index, name] of names.entries()) {
    const next = found.commands.find((one) => one.name() === name);
    // Parsing refuses the name of an unknown command, and suggests one that is like it.
    if (!next && found.commands.length > 0)
      await program.parseAsync(names.slice(0, index + 1), { from: 'user' });
    if (!next)
      throw new UsageError(`There is no command "${names.join(' ')}". See "bellhop --help".`);
    found = next;
  }
  return found;
}

function commandLineDocument(program: CommandUnknownOpts): string {
  const parts = program.commands
    .filter(isShown)
    .flatMap((command) => [
      `## ${command.name()}\n\n${helpBlock(command)}`,
      ...command.commands.map(
        (action) => `### ${command.name()} ${action.name()}\n\n${helpBlock(action)}`,
      ),
    ]);
  return `# Command line

<!-- Written by "npx bellhop help --markdown" from server/src/cli/; change it there. -->

Run \`npx bellhop <command>\` in the repository's folder. Results go to stdout, errors to stderr.
Colours appear only on a terminal, and not if \`NO_COLOR\` is set. With \`--json\` the output is for
programs: \`listen\` and \`trigger\` then print one JSON object per line, as things happen.
[\`bellhop completion\`](#completion) lets your shell complete commands, options and their values.

${helpBlock(program)}
| exit code | meaning |
|---|---|
| 0 | Success. For \`trigger --watch\`: everything was delivered. |
| 1 | The command was called correctly, but it or a check failed. Something else has to change first: a server still runs, a database cannot be reached, a backup is damaged. |
| 2 | Bad usage: an argument, an option or a setting has to change. It is unknown or invalid, contradicts another, or names the wrong thing, such as a file that does not exist or a folder that is not empty. |

The output says why, and what to do. The exit code of \`serve\` tells a supervisor whether another start can help:

| exit code of \`serve\` | meaning | start it again? |
|---|---|---|
${SERVE_EXITS.map(({ code, meaning, canRetry }) => `| ${code} | ${meaning} | ${canRetry ? 'yes' : 'no'} |\n`).join('')}
The numbers from 65 on are those of sysexits.h. [The systemd unit](../deploy/systemd/bellhop.service) does not restart
Bellhop after those that say "no". If a thread hangs, the process ends with SIGKILL and can be started again.

${parts.join('\n')}`;
}

export function isShown(command: CommandUnknownOpts): boolean {
  const { parent } = command;
  return parent?.createHelp().visibleCommands(parent).includes(command) ?? true;
}

function helpBlock(command: CommandUnknownOpts): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => WIDEST_HELP,
  });
  command.outputHelp();
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

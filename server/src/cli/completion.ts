import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { completable } from './completable.ts';
import { completionScripts, shells } from './completion-scripts.ts';
import { examples } from './help-style.ts';

export const completionCommand = new Command()
  .description(
    'Prints a script that completes commands, options and their values. It completes the word "bellhop"; if you type "npx bellhop", define that word first, as in the examples.',
  )
  .addArgument(new Argument('<shell>', 'the shell that you use').choices(shells))
  .addHelpText(
    'after',
    examples(
      'bash, in ~/.bashrc:',
      '  bellhop() { npx bellhop "$@"; }',
      '  eval "$(bellhop completion bash)"',
      'zsh, in ~/.zshrc, after compinit:',
      '  bellhop() { npx bellhop "$@"; }',
      '  eval "$(bellhop completion zsh)"',
      'fish, in ~/.config/fish/config.fish:',
      '  function bellhop; npx bellhop $argv; end',
      '  bellhop completion fish | source',
    ),
  )
  .action((shell, _, command) => {
    const program = command.parent as CommandUnknownOpts;
    console.log(completionScripts[shell](completable(program)));
  });

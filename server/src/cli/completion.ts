/**
 * Scripts that let shells complete commands and options. The options are read from the commands' own
 * help, so a new one is completed as soon as it is documented.
 */
import type { Command } from './main.ts';
import { readChoice, readOptions } from './usage.ts';

type Commands = Readonly<Record<string, Command>>;

const shells = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(commands: () => Commands): Command {
  return {
    summary: 'print a completion script for bash, zsh or fish',
    words: shells,
    help: `Usage: bellhop completion bash|zsh|fish

Prints a script that completes commands and options. It is for the word "bellhop"; where you type
"npx bellhop", give your shell that word first, as below.

Examples:
  bash, in ~/.bashrc:
    bellhop() { npx bellhop "$@"; }
    eval "$(bellhop completion bash)"
  zsh, in ~/.zshrc, after compinit:
    bellhop() { npx bellhop "$@"; }
    eval "$(bellhop completion zsh)"
  fish, in ~/.config/fish/config.fish:
    function bellhop; npx bellhop $argv; end
    bellhop completion fish | source`,
    async run(args) {
      const { positionals } = readOptions('completion', args, {}, 1);
      const shell = readChoice('The shell', positionals[0] ?? '', shells);
      console.log(SCRIPTS[shell](commands()));
      return 0;
    },
  };
}

const SCRIPTS = { bash, zsh, fish };

/** What may follow a command: its words, then the options of its usage and of its list of them. */
function followersOf({ help, words = [] }: Command): string[] {
  const [usage = ''] = help.split('\n\n');
  const listed = help.match(/^ {2}--[a-z-]+/gm) ?? [];
  const documented = [usage, ...listed].join(' ').match(/--[a-z][a-z-]*/g) ?? [];
  return [...words, ...new Set([...documented, '--help'])];
}

function bash(commands: Commands): string {
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) words="${followersOf(command).join(' ')}" ;;`,
  );
  return `_bellhop() {
  local words="" current="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -le 1 ]; then
    words="${Object.keys(commands).join(' ')} help --help"
  else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${Object.keys(commands).join(' ')}" ;;
  esac fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _bellhop bellhop`;
}

function zsh(commands: Commands): string {
  const names = Object.entries(commands).map(
    ([name, { summary }]) => `    ${quoted(`${name}:${summary}`)}`,
  );
  const cases = Object.entries(commands).map(
    ([name, command]) => `    ${name}) compadd -- ${followersOf(command).join(' ')} ;;`,
  );
  return `_bellhop() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  _files
}
compdef _bellhop bellhop`;
}

function fish(commands: Commands): string {
  const names = Object.entries(commands).map(
    ([name, { summary }]) =>
      `complete -c bellhop -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary, `\\'`)}`,
  );
  const followers = Object.entries(commands).flatMap(([name, command]) =>
    followersOf(command).map((word) => {
      const when = `-n '__fish_seen_subcommand_from ${name}'`;
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c bellhop ${when} ${what}`;
    }),
  );
  return [...names, ...followers].join('\n');
}

/** In single quotes. A quote inside is written in another way in fish than in the others. */
function quoted(text: string, quote = `'\\''`): string {
  return `'${text.replaceAll("'", quote)}'`;
}

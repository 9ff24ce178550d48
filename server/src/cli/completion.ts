/**
 * Completion scripts. They hold every word, so that a shell completes without starting Bellhop: a
 * start takes a tenth of a second, and through npx half a second.
 */
import {
  Argument,
  Command,
  type CommandUnknownOpts,
  type Option,
} from '@commander-js/extra-typings';
import { METHODS, readOperations } from './api/operations.ts';
import { isShown } from './help.ts';
import { examples } from './help-style.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

type Commands = readonly CompletableCommand[];

const completionScripts: Record<(typeof shells)[number], (commands: Commands) => string> = {
  bash,
  zsh,
  fish,
};

/** `context` is the command typed so far, such as "tokens create", found by walking the words. */
function bash(commands: Commands): string {
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => `    ${pattern(path, flag)}) ${valuesInBash(choices)} ;;`),
  );
  const words = commands.map(({ path, words, options }) => {
    const offered = [...words.map(({ word }) => word), ...options.map(({ flag }) => flag)];
    return `    ${pattern(path)}) words="${offered.join(' ')}" ;;`;
  });
  return `_bellhop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" context="" words="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    previous="$word"
    case "$context $word" in
${pathsOf(commands)}) context="$context $word" ;;
    esac
  done
  [ -z "$context" ] && [ "$COMP_CWORD" -gt 1 ] && return
  case "$context $previous" in
${values.join('\n')}
  esac
  case "$context" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _bellhop bellhop`;
}

/** An empty reply lets bash complete file names. */
function valuesInBash(choices: readonly string[]): string {
  if (choices.length === 0) return 'return';
  return `COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$current")); return`;
}

function zsh(commands: Commands): string {
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => {
        const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.join(' ')}`;
        return `    ${pattern(path, flag)}) ${offer}; return ;;`;
      }),
  );
  const offers = commands.map(({ path, words, options }) => {
    const described = [
      ...words.map(({ word, description }) => [word, description] as const),
      ...options.map(({ flag, description }) => [flag, description] as const),
    ].map(([word, description]) => `      ${quoted(`${word}:${description}`)}`);
    return `    ${pattern(path)}) offered=(\n${described.join('\n')}\n    ) ;;`;
  });
  return `_bellhop() {
  local context="" previous="" word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    previous="$word"
    case "$context $word" in
${pathsOf(commands)}) context="$context $word" ;;
    esac
  done
  [[ -z $context ]] && (( CURRENT > 2 )) && return
  case "$context $previous" in
${values.join('\n')}
  esac
  case "$context" in
${offers.join('\n')}
  esac
  _describe bellhop offered || _files
}
compdef _bellhop bellhop`;
}

function fish(commands: Commands): string {
  return commands
    .flatMap(({ path, words, options }) => {
      const when = `-n ${quoted(conditionInFish(commands, path), `\\'`)}`;
      return [
        ...words.map(
          ({ word, description }) =>
            `complete -c bellhop ${when} -f -a ${word}${describedInFish(description)}`,
        ),
        ...options.map((option) => `complete -c bellhop ${when} ${optionInFish(option)}`),
      ];
    })
    .join('\n');
}

/** True while exactly this command has been typed, and none of its actions. */
function conditionInFish(commands: Commands, path: readonly string[]): string {
  const next = commands.filter((one) => one.path.length === path.length + 1);
  const deeper = next.filter((one) => path.every((word, at) => one.path[at] === word));
  const names = deeper.map((one) => one.path.at(-1)).join(' ');
  return [
    ...path.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(names ? [`not __fish_seen_subcommand_from ${names}`] : []),
  ].join('; and ');
}

function optionInFish({ flag, description, takesValue, choices }: CompletableOption): string {
  const value = !takesValue ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`;
  return `-l ${flag.slice(2)}${value}${describedInFish(description)}`;
}

function describedInFish(description: string): string {
  return description === '' ? '' : ` -d ${quoted(description, `\\'`)}`;
}

/** A pattern of `case`: the words typed so far, each with a space before it. */
function pattern(path: readonly string[], ...more: string[]): string {
  return `"${[...path, ...more].map((word) => ` ${word}`).join('')}"`;
}

function pathsOf(commands: Commands): string {
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => pattern(path));
  return `      ${paths.join(' | ')}`;
}

/** In single quotes. A quote inside is written differently in fish. */
function quoted(text: string, quote = `'\\''`): string {
  return `'${text.replaceAll("'", quote)}'`;
}

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

/** What a shell can complete: the declarations of the commands, reduced to words and their meaning. */
interface CompletableOption {
  /** Such as `--form`. */
  flag: string;
  description: string;
  takesValue: boolean;
  /** The possible values, if they can be listed. */
  choices: readonly string[];
}

interface CompletableCommand {
  /** Empty for the program itself, `['tokens', 'create']` for an action of a command. */
  path: readonly string[];
  /** Words that can follow: the names of its actions, or the choices of its first argument. */
  words: readonly { word: string; description: string }[];
  options: readonly CompletableOption[];
}

const HELP = { word: 'help', description: 'show the help of a command' };

/** The program first, then every command and its actions. */
function completable(program: CommandUnknownOpts): CompletableCommand[] {
  const [root, ...commands] = describe(program, []) as [
    CompletableCommand,
    ...CompletableCommand[],
  ];
  return [
    { ...root, words: [...root.words, HELP] },
    ...commands.map((one) =>
      `${one.path}` === 'api' ? { ...one, words: METHODS.map(asWord) } : one,
    ),
    ...METHODS.map((method) => operationsOf(method, commands)),
    { path: ['help'], words: root.words, options: [] },
  ];
}

const asWord = (word: string) => ({ word, description: '' });

/** Of `api`: the paths of a method, up to the first id. */
function operationsOf(method: string, commands: Commands): CompletableCommand {
  const own = readOperations().all.filter((one) => one.method === method);
  const words = new Map(
    own.map(({ path, summary }) => [path.replace(/{.*/, ''), path.includes('{') ? '' : summary]),
  );
  return {
    path: ['api', method],
    words: Array.from(words, ([word, description]) => ({ word, description })),
    options: commands.find(({ path }) => `${path}` === 'api')?.options ?? [],
  };
}

function describe(command: CommandUnknownOpts, path: string[]): CompletableCommand[] {
  const shown = command.commands.filter(isShown);
  const [argument] = command.registeredArguments;
  const choices = (argument?.argChoices ?? []).map((word) => ({ word, description: '' }));
  const names = shown.map((one) => ({ word: one.name(), description: one.summary() }));
  return [
    {
      path,
      words: [...names, ...choices],
      options: command.createHelp().visibleOptions(command).map(describeOption),
    },
    ...shown.flatMap((one) => describe(one, [...path, one.name()])),
  ];
}

function describeOption({ long, description, required, argChoices }: Option): CompletableOption {
  return { flag: long ?? '', description, takesValue: required, choices: argChoices ?? [] };
}

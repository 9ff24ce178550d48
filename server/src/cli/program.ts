/**
 * Every command of `bellhop`. A command is declared in the file that runs it: its arguments and
 * options with their types, defaults and choices. Parsing, help and completion come from that
 * declaration. The file is loaded only when it is needed: `bellhop --help` shows names and summaries.
 */
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { VERSION } from '../base/version.ts';
import { applyCommandDefaults, readSecretsOf } from './command-defaults.ts';

interface Entry {
  summary: string;
  load(): Promise<CommandUnknownOpts>;
}

const forPartners: Record<string, Entry> = {
  overview: {
    summary: "show a key's endpoints and limits",
    load: async () => (await import('./overview.ts')).overviewCommand,
  },
  listen: {
    summary: 'receive webhooks on this machine, verify and show them',
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  trigger: {
    summary: 'send an order event and follow its webhook',
    load: async () => (await import('./trigger.ts')).triggerCommand,
  },
  'check-receiver': {
    summary: "check a partner's webhook receiver",
    load: async () => (await import('./check-receiver.ts')).checkReceiverCommand,
  },
  demo: {
    summary: 'show the demo key of the sandbox again, and a call to try',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
};

const forSupport: Record<string, Entry> = {
  partners: {
    summary: 'list and show partners',
    load: async () => (await import('./support/partners.ts')).partnersCommand,
  },
  keys: {
    summary: 'list, show and rotate keys',
    load: async () => (await import('./support/keys.ts')).keysCommand,
  },
  midoffices: {
    summary: 'list, show and test midoffices, and send their webhooks again',
    load: async () => (await import('./support/midoffices.ts')).midofficesCommand,
  },
  deliveries: {
    summary: 'find deliveries, and send them again',
    load: async () => (await import('./support/deliveries.ts')).deliveriesCommand,
  },
  api: {
    summary: 'call any operation of the back office',
    load: async () => (await import('./api/command.ts')).apiCommand as CommandUnknownOpts,
  },
};

const forOperators: Record<string, Entry> = {
  serve: {
    summary: 'run the server; the default',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  config: {
    summary: 'list the settings with their meaning, default and current value',
    load: async () => (await import('./config.ts')).configCommand,
  },
  tokens: {
    summary: 'list, create and revoke back-office tokens',
    load: async () => (await import('./tokens.ts')).tokensCommand,
  },
  import: {
    summary: 'move partners, keys, grants and midoffices in from another system',
    load: async () => (await import('./import.ts')).importCommand,
  },
  export: {
    summary: 'write partners, keys, grants and midoffices to a file',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  backup: {
    summary: 'back up the embedded databases while Bellhop runs',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    summary: 'restore a backup into a new data folder',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  move: {
    summary: 'move an environment to PostgreSQL, or back to an embedded database',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  migrate: {
    summary: 'bring databases to this release, or tell what that takes',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  reseal: {
    summary: 'move everything that is sealed to the current master key',
    load: async () => (await import('./reseal.ts')).resealCommand,
  },
  files: {
    summary: 'write the units, alert rules, dashboard and documentation into a folder',
    load: async () => (await import('./files.ts')).filesCommand,
  },
  'stub-upstream': {
    summary: 'run a stand-in for the booking core that echoes each call',
    load: async () => (await import('./stub-upstream.ts')).stubUpstreamCommand,
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
};

const hidden: Record<string, Entry> = {
  help: {
    summary: 'show the help of a command',
    load: async () => (await import('./help.ts')).helpCommand,
  },
  version: {
    summary: 'print the version',
    load: async () => new Command().action(() => console.log(VERSION)),
  },
};

/** In the order in which the help shows them. */
const groups: readonly [heading: string, commands: Record<string, Entry>][] = [
  ['For partners:', forPartners],
  ['For support:', forSupport],
  ['For operators:', forOperators],
  ['', hidden],
];

/** The program with the commands that these arguments need. Of the others only the summaries are known. */
export async function loadProgram(args: readonly string[]): Promise<CommandUnknownOpts> {
  const program = new Command('bellhop')
    .usage('[command] [options]')
    .version(VERSION, '-v, --version', 'print the version')
    .addHelpText(
      'after',
      '\n"bellhop" alone starts the server.\n"bellhop <command> --help" describes a command.\nExit codes: 0 success, 1 failure, 2 bad usage.',
    );
  for (const [heading, commands] of groups) {
    for (const [name, entry] of Object.entries(commands)) {
      const command = isNeeded(name, args) ? await entry.load() : new Command();
      command.name(name).summary(entry.summary).helpGroup(heading);
      program.addCommand(command, { hidden: commands === hidden });
    }
  }
  applyCommandDefaults(program);
  program.hook('preAction', async (_program, command) => {
    readSecretsOf(command);
    if (command.name() !== 'serve' && process.env.BELLHOP_CA_FILE) await trustAuthoritiesHere();
  });
  return program;
}

/** For what a command calls over TLS. A server does it when it starts. */
async function trustAuthoritiesHere(): Promise<void> {
  const { trustAuthorities } = await import('../receiver/trusted-cas.ts');
  trustAuthorities(process.env.BELLHOP_CA_FILE?.trim() || undefined);
}

function isNeeded(name: string, [first, second]: readonly string[]): boolean {
  const listsAll = first === 'completion' || (first === 'help' && second === '--markdown');
  return listsAll || name === first || (first === 'help' && name === second);
}

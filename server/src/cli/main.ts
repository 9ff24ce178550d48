/** `bellhop <command>`: exit 0 on success, 1 on a failed check, 2 on bad usage. */
import { ConfigError } from '../config/config.ts';
import { VERSION } from '../version.ts';
import { checkReceiverCommand } from './check-receiver.ts';
import { completionCommand } from './completion.ts';
import { configCommand } from './config.ts';
import { commandLineDocument, overallHelp } from './help.ts';
import { listenCommand } from './listen.ts';
import { overviewCommand } from './overview.ts';
import { serveCommand } from './serve.ts';
import { tokensCommand } from './tokens.ts';
import { triggerCommand } from './trigger.ts';
import { CommandFailed, UsageError } from './usage.ts';

export interface Command {
  summary: string;
  help: string;
  /** Words that may come first among its arguments; for completion. */
  words?: readonly string[];
  run(args: string[]): Promise<number>;
}

const commands: Record<string, Command> = {
  serve: serveCommand,
  config: configCommand,
  'check-receiver': checkReceiverCommand,
  overview: overviewCommand,
  listen: listenCommand,
  trigger: triggerCommand,
  tokens: tokensCommand,
  completion: completionCommand(() => commands),
};

export async function runCli(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === 'help' && rest[0] === '--markdown') {
    process.stdout.write(commandLineDocument(commands));
    return 0;
  }
  if (name === 'help' && rest[0] !== undefined) return runCli([rest[0], '--help']);
  if (name === '--version' || name === 'version') {
    console.log(VERSION);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(overallHelp(commands));
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(`There is no command "${name}"; "bellhop --help" lists those there are.`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(command.help);
    return 0;
  }
  if (command !== serveCommand) endWithReader();
  try {
    return await command.run(rest);
  } catch (error) {
    const isUsage = error instanceof ConfigError || error instanceof UsageError;
    if (!isUsage && !(error instanceof CommandFailed)) throw error;
    console.error(error.message);
    return isUsage ? 2 : 1;
  }
}

/** `bellhop listen | head -1`: when nobody reads any more, there is nothing left to do. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

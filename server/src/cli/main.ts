/** `bellhop <command>`: exit 0 on success, 1 on a failed check, 2 on bad usage. */
import { ConfigError } from '../config/config.ts';
import { configCommand } from './config.ts';
import { serveCommand } from './serve.ts';

export interface Command {
  summary: string;
  help: string;
  run(args: string[]): Promise<number>;
}

const commands: Record<string, Command> = {
  serve: serveCommand,
  config: configCommand,
};

export async function runCli(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(overallHelp());
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
  try {
    return await command.run(rest);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 2;
  }
}

function overallHelp(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `Usage: bellhop <command> [options]\n\n${lines.join('\n')}\n\n"bellhop <command> --help" tells more.`;
}

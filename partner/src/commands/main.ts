/** `npx @bellhop/partner <command>`: for partners, who do not have the server. */
import { createServer } from 'node:http';
import {
  type CheckReceiverOptions,
  checkReceiverCommand,
  runCheckReceiver,
} from './check-receiver.ts';
import { type DeclaredCommand, either } from './declared.ts';
import { CommandFailed, systemTrouble, UsageError } from './failures.ts';
import { commandHelp, programHelp } from './help.ts';
import { type ListenOptions, listenCommand, runListen } from './listen.ts';
import { type Parsed, parseCommand } from './parse.ts';
import { endWithReader } from './reader-gone.ts';

const PROGRAM = 'npx @bellhop/partner';
const DESCRIPTION =
  'For partners of Bellhop: try webhooks on your machine, and check your receiver.';

interface Runnable {
  command: DeclaredCommand;
  run(parsed: Parsed, version: string): Promise<void>;
}

const commands: readonly Runnable[] = [
  {
    command: checkReceiverCommand,
    run: ({ argument, values }, version) =>
      runCheckReceiver(argument, values as CheckReceiverOptions & typeof values, {
        program: PROGRAM,
        async loadPost() {
          const { createNodePost } = await import('../receiver-check/node-post.ts');
          return createNodePost({ userAgent: `Bellhop/${version}` });
        },
      }),
  },
  {
    command: listenCommand,
    async run({ values, given }) {
      const options = values as ListenOptions & typeof values;
      const { apiKey } = options;
      if (!apiKey) {
        throw new UsageError(
          'Which key signs the webhooks? Pass --api-key, or set BELLHOP_API_KEY.',
        );
      }
      const register = async () => ({ apiKey });
      await runListen(options, (option) => given.has(option), { createServer, register });
    },
  },
];

/** Sets `process.exitCode`. */
export async function runPartnerCommand(args: string[], version: string): Promise<void> {
  endWithReader();
  try {
    await run(args, version);
  } catch (error) {
    const sentence = sentenceOf(error);
    // Anything else is a defect, and its stack helps to find it.
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run([name, ...args]: string[], version: string): Promise<void> {
  if (name === '--version' || name === '-v' || name === '-V') return console.log(version);
  const declared = commands.map(({ command }) => command);
  if (name === '--help' || name === '-h') {
    process.stdout.write(programHelp(PROGRAM, DESCRIPTION, declared));
    return;
  }
  const found = commands.find(({ command }) => command.name === name);
  if (!found) {
    const wanted = `The word after "${PROGRAM}" must be ${either(declared.map((one) => one.name))}`;
    const given = name === undefined ? '' : `, not ${JSON.stringify(name)}`;
    throw new UsageError(`${wanted}${given}. See "${PROGRAM} --help".`);
  }
  const { command } = found;
  const parsed = parseCommand(command, `${PROGRAM} ${command.name}`, args, process.env);
  if (parsed.wantsHelp) process.stdout.write(commandHelp(PROGRAM, command));
  else await found.run(parsed, version);
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof UsageError || error instanceof CommandFailed) return error.message;
  return systemTrouble(error);
}

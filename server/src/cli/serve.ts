import { parseArgs } from 'node:util';
import { settleAfterStart } from '../after-start.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { endNow, sayLast } from '../end-process.ts';
import type { Running } from '../main.ts';
import type { Command } from './main.ts';

/** A stop that takes longer than this ends anyway: whoever waits would kill the process next. */
const LONGEST_STOP_MS = 14_000;
/** What is still under way after the stop, such as a log write that nobody takes, gets no longer. */
const LEFTOVERS_MS = 500;

export const serveCommand: Command = {
  summary: 'run the server',
  help: `Usage: bellhop serve

Serves the partner API, the webhooks and the back office, as the BELLHOP_* settings say ("bellhop
config" lists them). SIGTERM or SIGINT lets what is under way finish and stops.

Examples:
  bellhop serve
  BELLHOP_SANDBOX_RECEIVER_ALLOW=127.0.0.1/32 bellhop serve`,
  async run(args) {
    refuseArguments('serve', args);
    surviveRefusedOutput();
    const stopAsked = new Promise<undefined>((resolve) => {
      process.once('SIGTERM', () => resolve(undefined));
      process.once('SIGINT', () => resolve(undefined));
    });
    void stopAsked.then(() => endInTime(0));
    readConfig(process.env);
    // Loaded only now, since it takes the better part of a second that other commands can do without.
    const { start } = await import('../main.ts');
    const running = await start(process.env, (line) => console.log(line));
    console.log(`ready ${JSON.stringify(running.addresses)}`);
    settleAfterStart();
    // Until it has stopped: what is waited for at the end may not keep the process up by itself.
    const awake = setInterval(() => {}, 60_000);
    const failure = await Promise.race([stopAsked, running.failed]);
    if (failure !== undefined) {
      endInTime(1);
      await sayLast(`Bellhop stops and must be started again. ${failure}`);
    }
    const code = await stop(running, failure === undefined ? 0 : 1);
    clearInterval(awake);
    setTimeout(() => endNow(code), LEFTOVERS_MS).unref();
    return code;
  },
};

/** Resolves to the exit code: the one that was meant, unless something could not be saved. */
async function stop(running: Running, code: number): Promise<number> {
  try {
    await running.stop();
    return code;
  } catch (error) {
    // Why it could not go on has been said, and is also why something could not be saved.
    if (code !== 0) return code;
    const reasons = error instanceof AggregateError ? error.errors : [error];
    await sayLast(`Bellhop has stopped, but not everything could be saved: ${reasons.join('; ')}`);
    return 1;
  }
}

function endInTime(code: number): void {
  setTimeout(async () => {
    await sayLast('Bellhop did not finish stopping in time and ends now.');
    endNow(code);
  }, LONGEST_STOP_MS).unref();
}

/** An unhandled write error (a full disk, a pipe without a reader) would crash the process. */
function surviveRefusedOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

export function refuseArguments(command: string, args: string[]): void {
  try {
    parseArgs({ args, options: {}, allowPositionals: false });
  } catch {
    throw new ConfigError(
      `"bellhop ${command}" takes no "${args[0]}"; "bellhop ${command} --help" tells what it takes.`,
    );
  }
}

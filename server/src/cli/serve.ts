import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config/config.ts';
import type { Command } from './main.ts';

/** A stop that takes longer than this ends anyway: whoever waits would kill the process next. */
const LONGEST_STOP_MS = 14_000;

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
    const stopAsked = new Promise<void>((resolve) => {
      process.once('SIGTERM', () => resolve());
      process.once('SIGINT', () => resolve());
    });
    readConfig(process.env);
    // Loaded only now, since it takes the better part of a second that other commands can do without.
    const { start } = await import('../main.ts');
    const running = await start(process.env, (line) => console.log(line));
    console.log(`ready ${JSON.stringify(running.addresses)}`);
    // Until it has stopped: what is waited for at the end may not keep the process up by itself.
    const awake = setInterval(() => {}, 60_000);
    const failure = await Promise.race([stopAsked, running.failed]);
    if (failure) console.error(failure);
    const code = failure ? 1 : 0;
    setTimeout(() => {
      console.error('Bellhop did not finish stopping in time and ends now.');
      process.exit(code);
    }, LONGEST_STOP_MS).unref();
    try {
      await running.stop();
      return code;
    } catch (error) {
      if (failure) return code;
      const reasons = error instanceof AggregateError ? error.errors : [error];
      console.error(
        `Bellhop has stopped, but not everything could be saved: ${reasons.join('; ')}`,
      );
      return 1;
    } finally {
      clearInterval(awake);
    }
  },
};

export function refuseArguments(command: string, args: string[]): void {
  try {
    parseArgs({ args, options: {}, allowPositionals: false });
  } catch {
    throw new ConfigError(
      `"bellhop ${command}" takes no "${args[0]}"; "bellhop ${command} --help" tells what it takes.`,
    );
  }
}

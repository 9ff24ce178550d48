import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { stopAsked } from '@bellhop/partner/command-line';
import { Command } from '@commander-js/extra-typings';
import { isInside } from '../base/addresses/addresses.ts';
import { type Config, readConfig } from '../base/config/config.ts';
import { keptDemoKey } from '../base/demo-key.ts';
import type { Log } from '../base/log.ts';
import { collectStartupGarbage, keepCompiledCode } from '../main/after-start.ts';
import { endNow, sayLast } from '../main/end-process.ts';
import type { Running } from '../main/main.ts';
import { keptAdminToken } from '../operate/secrets.ts';
import { examples } from './help-style.ts';
import { paint } from './terminal.ts';
import { terminalClosed } from './terminal-closed.ts';

/** A stop that takes longer is cut short: a supervisor would kill the process next. */
const LONGEST_STOP_MS = 14_000;
/** How long work that outlives the stop may take, such as a log write that never completes. */
const LEFTOVERS_MS = 500;

export const serveCommand = new Command()
  .description(
    'Serves the partner API, delivers webhooks and runs the back office, as the BELLHOP_* settings say ("bellhop config" lists them). "bellhop" without a command does the same. On SIGTERM or SIGINT (Ctrl-C) it waits for BELLHOP_DRAIN_DELAY, which a second signal ends, finishes what is in progress and stops; another Ctrl-C ends it at once. On SIGHUP it reads its certificates and the passwords of its databases and Redis again.',
  )
  .addHelpText(
    'after',
    examples(
      'bellhop',
      'BELLHOP_SANDBOX_UPSTREAM_URL=http://127.0.0.1:8095 bellhop serve',
      'BELLHOP_LOG_FORMAT=json bellhop serve 2> bellhop.log',
    ),
  )
  .action(serve);

async function serve(): Promise<void> {
  keepCallsYoung();
  surviveRefusedOutput();
  let running: Running | undefined;
  const giveUp = new AbortController();
  const delay = new DrainDelay();
  const stopping = Promise.race([
    stopAsked(['SIGTERM', 'SIGINT'], { hurry: () => delay.end() }),
    terminalClosed(() => void reload()),
  ]);
  void stopping.then(() => {
    if (running) return;
    endInTime(0);
    giveUp.abort();
  });
  // During the start there is nothing to read again yet.
  const reload = async () => {
    const { log } = running ?? {};
    log?.info('SIGHUP: reading certificates and files of settings again');
    await running?.reload().catch((error) => log?.error({ err: error }, 'reading again failed'));
  };
  const config = readConfig(process.env);
  // Loaded only now: it takes most of a second, and bad settings have ended the process before.
  const { start } = await import('../main/main.ts');
  running = await start(process.env, (line) => console.log(line), giveUp.signal).catch((error) => {
    if (error !== giveUp.signal.reason) throw error;
    return undefined;
  });
  if (!running) return leave(0);
  if (!giveUp.signal.aborted) announce(config, running.addresses);
  keepCompiledCode();
  collectStartupGarbage();
  // Keeps the process alive until it has stopped, because what it waits for at the end may not.
  const awake = setInterval(() => {}, 60_000);
  let failure = await Promise.race([stopping, running.failed]);
  if (failure === undefined && !giveUp.signal.aborted) {
    failure = await Promise.race([delay.pass(running, config.drainDelayMs), running.failed]);
  }
  const intended = failure === undefined ? 0 : 1;
  endInTime(intended);
  if (failure !== undefined) {
    await sayLast(`Bellhop stops and must be started again. ${failure}`);
  }
  const code = await stop(running, intended);
  clearInterval(awake);
  leave(code);
}

function leave(code: number): void {
  setTimeout(() => endNow(code), LEFTOVERS_MS).unref();
  process.exitCode = code;
}

function announce(config: Config, addresses: Running['addresses']): void {
  if (process.stdout.isTTY) for (const line of welcome(config, addresses)) console.log(line);
  console.log(`ready ${JSON.stringify(addresses)}`);
}

/** Resolves to the exit code: the given one, unless something could not be saved. */
async function stop(running: Running, code: number): Promise<number> {
  try {
    await running.stop();
    return code;
  } catch (error) {
    // The reason for the failure has been printed, and is also why something could not be saved.
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

/**
 * V8 guesses from the first seconds which objects live long, and allocates those directly in the old
 * generation. Calls that waited for the disk then seem to live long, and from there they keep everything
 * that they refer to until the next full collection. In some starts that took 10 of the 35 µs of a counted
 * call. Without the guess it never happens.
 */
function keepCallsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** An unhandled write error (a full disk, a pipe without a reader) would crash the process. */
function surviveRefusedOutput(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/** What a start on a terminal tells a person: where the console is, where the token is, what to try next. */
function welcome(config: Config, addresses: Record<string, string>): string[] {
  const lines = [...whereThingsAre(config, addresses), ...whatToTry(config, addresses)];
  return lines.length > 0 ? ['', ...lines, '  Ctrl-C stops Bellhop.', ''] : [];
}

function whereThingsAre(config: Config, { backOffice, portal }: Record<string, string>): string[] {
  const partners = config.portalUrl ?? portal;
  const lines = portal ? [`  Portal       ${paint('bold', `${partners}/`)}  for partners`] : [];
  if (backOffice) {
    const office = config.backOfficeUrl ?? backOffice;
    lines.unshift(
      `  Console      ${paint('bold', `${office}/`)}`,
      `  Admin token  ${whereTheTokenIs(config)}`,
    );
    lines.push(`  Docs         ${paint('bold', `${office}/docs/`)}`);
  }
  return lines.length > 0 ? [...lines, ''] : [];
}

function whereTheTokenIs({ adminToken, dataDir, environments }: Config): string {
  if (adminToken) return 'the one in BELLHOP_ADMIN_TOKEN';
  const kept = keptAdminToken(dataDir, !environments.includes('production'));
  return kept ? `in the file ${kept.file}` : 'the one that the first start printed';
}

/** Only what works with these settings. */
function whatToTry(config: Config, addresses: Record<string, string>): string[] {
  const { sandbox, environments, roles } = config;
  const tries: [string, string][] = [];
  if (addresses.sandbox && keptDemoKey(config.dataDir)) {
    tries.push(['npx bellhop demo', 'show the demo key and a call to try']);
  }
  const deliversHere =
    environments.includes('sandbox') &&
    roles.includes('delivery') &&
    isInside('127.0.0.1', sandbox.receiverAllow);
  if (addresses.backOffice && deliversHere) {
    tries.push(
      ['npx bellhop listen --sandbox', 'receive webhooks on this machine'],
      ['npx bellhop trigger', 'report an order to send one'],
    );
  }
  if (addresses.sandbox && !sandbox.upstreamUrl) {
    tries.push([
      'npx bellhop stub-upstream',
      'stand in for the booking core; it says how to restart',
    ]);
  }
  if (tries.length === 0) return [];
  const width = Math.max(...tries.map(([command]) => command.length));
  return [
    '  Try next, each in a terminal of its own:',
    ...tries.map(([command, what]) => `    ${paint('bold', command.padEnd(width))}  ${what}`),
    '',
  ];
}

interface Retiring {
  log: Log;
  retire(): void;
}

/**
 * The time between the signal and the stop. Balancers notice that the node is not ready, and send it nothing more; until
 * they do, every call is answered.
 */
class DrainDelay {
  readonly #end = new AbortController();
  #isPassing = false;

  async pass({ log, retire }: Retiring, delayMs: number): Promise<undefined> {
    if (delayMs === 0) return;
    retire();
    log.info({ delay_ms: delayMs }, 'not ready from now on; the stop begins after the drain delay');
    this.#isPassing = true;
    await sleep(delayMs, undefined, { signal: this.#end.signal }).catch(() => {});
    this.#isPassing = false;
  }

  /** True if it was passing. */
  end(): boolean {
    if (this.#isPassing) this.#end.abort();
    return this.#isPassing;
  }
}

/**
 * The second thread. A storm of deliveries, a thousand events in one request or a slow report costs
 * the partner API nothing but its share of the processor: in one thread, the overview's 99th
 * percentile went from 4 ms to 71 ms while 4,000 webhooks a second went out.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { EnvironmentName } from '../config/settings.ts';
import { sayLast } from '../end-process.ts';
import { type Environment, openEnvironment } from '../environment.ts';
import type { Limiter } from '../limits/limiter.ts';
import { createLog } from '../log.ts';
import { descriptorOutput } from '../logging/output.ts';
import { Metrics } from '../metrics.ts';
import { type Services, startServices } from '../services.ts';
import { BEAT_MS, LOST_AFTER_BEATS, SILENT_AFTER_BEATS, startHeartbeat } from './heartbeat.ts';
import { link, type Remote } from './link.ts';
import { type MainSide, outputThrough } from './main-side.ts';

export interface ServicesThreadData {
  variables: Record<string, string | undefined>;
  masterKey: string;
}

/** What the main thread calls. */
export interface ServicesSide {
  start(): Promise<Services['addresses']>;
  stop(): Promise<void>;
  beat(): void;
}

const MAIN_THREAD = 'The main thread (partner API)';

const port = parentPort as MessagePort;
const { variables, masterKey } = workerData as ServicesThreadData;
const closers: (() => Promise<unknown>)[] = [];

const { remote: main } = link<MainSide>(port, {
  async start() {
    const config = readConfig(variables);
    const log = createLog(config.logLevel, outputThrough(main));
    const metrics = new Metrics();
    closers.push(() => log.end());
    const environments = new Map<EnvironmentName, Environment>();
    for (const name of config.environments) {
      const environment = await openAttached(config, name, log, metrics);
      closers.push(() => environment.close());
      environments.set(name, environment);
    }
    const heartbeat = startHeartbeat(main.beat, () => void endProcess());
    const services = await startServices({
      config,
      environments,
      partnerSide: main,
      trouble: () => (heartbeat.isSilent() ? silence(SILENT_AFTER_BEATS) : undefined),
      log,
      metrics,
    });
    closers.push(
      () => services.stop(),
      async () => heartbeat.stop(),
    );
    return services.addresses;
  },
  async stop() {
    for (const close of closers.splice(0).reverse()) await close();
    // Lets the thread end once the answer is out.
    port.unref();
  },
  beat() {},
} satisfies ServicesSide);

function silence(beats: number): string {
  return `${MAIN_THREAD} has not answered for ${(beats * BEAT_MS) / 1_000} s.`;
}

/** A thread's own process.exit ends the thread alone, and the main thread hears no other signal. */
async function endProcess(): Promise<void> {
  const sentence = `Bellhop ends and must be started again. ${silence(LOST_AFTER_BEATS)}`;
  await sayLast(sentence, descriptorOutput());
  process.kill(process.pid, 'SIGKILL');
}

async function openAttached(
  config: Config,
  name: EnvironmentName,
  log: ReturnType<typeof createLog>,
  metrics: Metrics,
): Promise<Environment> {
  const environment = await openEnvironment({
    ...config,
    name,
    settings: config[name],
    masterKey: Buffer.from(masterKey, 'base64'),
    clock: systemClock,
    log,
    metrics,
    attachedTo: remoteLimiter(name, main),
  });
  environment.store.keyChanges.subscribe((ids) => main.keysChanged(name, ids));
  return environment;
}

/** The limits are the main thread's; from here they can be read. */
function remoteLimiter(name: EnvironmentName, remote: Remote<MainSide>): Limiter {
  return {
    admit() {
      throw new Error('calls are admitted by the partner API');
    },
    standing: (keyId, endpoint, window) => remote.standing(name, keyId, endpoint, window),
    trouble: () => undefined,
    close: () => Promise.resolve(),
  };
}

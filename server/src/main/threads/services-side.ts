/** What the main thread calls in the services thread: the services half, opened beside the main thread's. */
import { systemClock } from '../../base/clock.ts';
import { type Config, readConfig } from '../../base/config/config.ts';
import type { Variables } from '../../base/config/secret-files.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { closeAll, Drains } from '../../base/disposal.ts';
import { createLog, type ProcessLog } from '../../base/log.ts';
import type { LogOutput } from '../../base/logging/output.ts';
import { Metrics } from '../../base/metrics.ts';
import { openTracer } from '../../base/tracing/open.ts';
import type { CallBatch } from '../../gateway/recorded-calls/recorder.ts';
import type { UsageBatch } from '../../gateway/usage-history/history.ts';
import { trustAuthorities } from '../../receiver/trusted-cas.ts';
import { openBackOfficeStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { type CreateDemo, createDemoIn } from '../announce.ts';
import { openEnvironment, type ReadingEnvironment } from '../environment.ts';
import { useNewCredentials, useNewLogLevel } from '../reload.ts';
import { openServices, type Services } from '../services.ts';
import { BEAT_MS, LOST_AFTER_BEATS, SILENT_AFTER_BEATS, startHeartbeat } from './heartbeat.ts';
import type { Link } from './link.ts';
import type { MainSide } from './main-side.ts';

export interface ServicesThreadData {
  variables: Record<string, string | undefined>;
  masterKey: string;
  previousMasterKeys?: string[];
  /** As in `ServicesHalf`. */
  partnerApiAddresses: Record<string, string>;
}

export interface ServicesSide {
  /** Resolves to the addresses, as in `Services`. */
  start(data: ServicesThreadData): Promise<Record<string, string>>;
  /** Writes counts of the partner API, so that the main thread does not wait for the disk. */
  addUsage(environment: EnvironmentName, batch: UsageBatch): Promise<void>;
  /** The same for refused and failed calls. */
  addCalls(environment: EnvironmentName, batch: CallBatch): Promise<void>;
  createDemo: CreateDemo;
  /** With the settings as they are now. */
  reload(variables: Variables): void;
  /** The process is about to stop. */
  retire(): void;
  stop(): Promise<void>;
  beat(): void;
}

export interface ServicesSideParts {
  main(): Link<MainSide>;
  /** The main thread hangs. */
  onMainLost(sentence: string): void;
  closing: AsyncDisposableStack;
}

export function createServicesSide({
  main: mainLink,
  onMainLost,
  closing,
}: ServicesSideParts): ServicesSide {
  const environments = new Map<EnvironmentName, ReadingEnvironment>();
  let services: Services | undefined;
  let config: Config | undefined;
  let ownLog: ProcessLog | undefined;
  const drains = new Drains();
  function storeOf(name: EnvironmentName): Store {
    const environment = environments.get(name);
    if (!environment) throw new Error(`The environment ${name} is not open in this thread.`);
    return environment.store;
  }
  return {
    async start(data) {
      const main = mainLink();
      config = readConfig(data.variables);
      trustAuthorities(config.caFile);
      const metrics = new Metrics();
      const log = createLog(config.logLevel, outputThrough(main));
      ownLog = log;
      closing.defer(() => log.end());
      const { variables } = data;
      const tracer = await openTracer({ variables, thread: 'services', metrics, log }, closing);
      const heartbeat = startHeartbeat(
        () => main.call('beat'),
        () => onMainLost(silence(LOST_AFTER_BEATS)),
      );
      closing.defer(() => heartbeat.stop());
      for (const name of config.environments) {
        const environment = await openEnvironment(
          {
            name,
            config,
            masterKey: Buffer.from(data.masterKey, 'base64'),
            previousMasterKeys: (data.previousMasterKeys ?? []).map((key) =>
              Buffer.from(key, 'base64'),
            ),
            clock: systemClock,
            log,
            attach: true,
          },
          closing,
        );
        // The back office replies only after the partner API has dropped its cached sign-ins.
        environment.store.invalidations.subscribe((ids) => main.call('invalidate', name, ids));
        environments.set(name, {
          ...environment,
          limiter: {
            standings: (keyId, windows) => main.call('standings', name, keyId, windows),
          },
        });
      }
      const backOfficeStore = config.roles.includes('back-office')
        ? await openBackOfficeStore({ config, environments, clock: systemClock, log, attach: true })
        : undefined;
      if (backOfficeStore) closing.defer(() => backOfficeStore.close());
      services = await openServices(
        {
          config,
          environments,
          backOfficeStore,
          partnerApiAddresses: data.partnerApiAddresses,
          partnerSide: {
            health: () => main.call('health'),
            metricsText: (format) => main.call('metricsText', format),
            signInWithKey: (name, key) => main.call('signInWithKey', name, key),
          },
          trouble: () => (heartbeat.isSilent() ? silence(SILENT_AFTER_BEATS) : undefined),
          log,
          metrics,
          tracer,
        },
        closing,
        drains,
      );
      return services.addresses;
    },
    addUsage: async (name, batch) => storeOf(name).usageHistory.add(batch),
    addCalls: async (name, batch) => storeOf(name).recordedCalls.add(batch),
    createDemo: async (setting) => config && createDemoIn(environments, config)(setting),
    reload(variables) {
      services?.reload();
      if (ownLog) useNewLogLevel(ownLog, variables);
      useNewCredentials(environments, variables);
    },
    retire: () => drains.retire(),
    stop: () => closeAll(closing),
    beat() {},
  };
}

function silence(beats: number): string {
  return `The main thread (partner API) has not answered for ${(beats * BEAT_MS) / 1_000} s.`;
}

/**
 * The services thread's log goes out through the main thread's, which writes one block at a time:
 * two threads that write to one pipe would interrupt each other's lines.
 */
function outputThrough(main: Link<MainSide>): {
  output: LogOutput;
  onDropped(lines: number): void;
} {
  let dropped = 0;
  async function send(bytes: Uint8Array): Promise<void> {
    const told = dropped;
    dropped = 0;
    // A copy, because otherwise the whole block that contains it would be sent.
    await main.call('takeLines', new Uint8Array(bytes), told);
  }
  return {
    output: {
      write(bytes, done) {
        send(bytes).then(
          () => done(null, bytes.length),
          (error) => done(error, 0),
        );
      },
      writeAtExit(bytes) {
        send(bytes).catch(() => {});
      },
    },
    onDropped(lines) {
      dropped += lines;
    },
  };
}

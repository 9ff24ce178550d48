/** The partner half of the process: the first flow of each environment behind its own listener. */
import type { Server } from 'node:http';
import { systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { type ListenerSettings, listenersOf, upstreamTlsOf } from '../base/config/listeners.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Drains } from '../base/disposal.ts';
import { measureThread } from '../base/metrics/thread-metrics.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { type Forwarder, noUpstream } from '../gateway/answer.ts';
import type { KeySignInParts } from '../gateway/key-sign-in.ts';
import { createPartnerApi } from '../gateway/listener.ts';
import { createRecorder } from '../gateway/record.ts';
import { type CallRecorder, startCallRecorder } from '../gateway/recorded-calls/recorder.ts';
import type { CallSamples } from '../gateway/recorded-calls/samples.ts';
import { allowReferenceCalls } from '../gateway/reference-calls.ts';
import type { UsageCounts } from '../gateway/usage-history/counts.ts';
import { startUsageHistory, type UsageHistory } from '../gateway/usage-history/history.ts';
import { type Certificate, Certificates } from '../listener/certificate.ts';
import { boundConnections } from '../listener/connections.ts';
import { listen } from '../listener/listen.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import type { CountingEnvironment, Environment } from './environment.ts';
import type { Shared } from './shared.ts';
import type { Link } from './threads/link.ts';
import type { ServicesSide } from './threads/services-side.ts';

export interface PartnerHalf extends Omit<Shared, 'backOfficeStore'> {
  /** How often what is counted and recorded of calls is written, if not as often as usual: tests wait for it. */
  callsEveryMs: number | undefined;
}

export interface PartnerApis {
  /** By environment. */
  addresses: Record<string, string>;
  /** Reads again what may change without a restart. */
  reload(): void;
  /** From now on the services thread writes what is counted and recorded, so that this one does not wait for the disk. */
  writeThrough(call: Link<ServicesSide>['call']): void;
}

/** Resolves when they listen. */
export async function openPartnerApis(
  parts: PartnerHalf,
  closing: AsyncDisposableStack,
  drains: Drains,
): Promise<PartnerApis> {
  const { config, environments, keySignIns } = parts;
  closing.defer(measureThread(parts.metrics, 'partner-api'));
  const usageHistories = new Map<EnvironmentName, UsageHistory>();
  const callRecorders = new Map<EnvironmentName, CallRecorder>();
  const servers = new Map<EnvironmentName, Server>();
  const settings = listenersOf(config);
  const certificates = new Certificates({ ...parts, clock: systemClock });
  for (const [name, environment] of environments) {
    const { store, clock, log } = environment;
    measureOutages(environment, parts.metrics);
    const writing = {
      ...{ environment: name, clock, log },
      ...{ metrics: parts.metrics, everyMs: parts.callsEveryMs },
    };
    const usage = startUsageHistory({ ...writing, store: store.usageHistory });
    closing.defer(() => usage.stop());
    usageHistories.set(name, usage);
    const isRecording = environment.settings.callsRetentionMs > 0;
    const recorder = isRecording
      ? startCallRecorder({ ...writing, store: store.recordedCalls })
      : undefined;
    if (recorder) {
      closing.defer(() => recorder.stop());
      callRecorders.set(name, recorder);
    }
    const own = {
      signInParts: keySignIns.get(name) as KeySignInParts,
      noted: { usage: usage.counts, calls: recorder?.samples },
      certificate: certificates.open(name, settings.get(name)?.tls),
      upstreamCertificate: certificates.open(
        `${name}-upstream`,
        upstreamTlsOf(name, environment.settings),
      ),
    };
    servers.set(name, await createServer(environment, own, parts, closing));
  }
  closing.use(drains);
  const addresses: Record<string, string> = {};
  for (const [name, server] of servers) {
    const listening = await listen(server, settings.get(name) as ListenerSettings);
    drains.add(listening.drain, listening.retire);
    addresses[name] = listening.address;
  }
  return {
    addresses,
    reload: () => certificates.readAgain(),
    writeThrough(call) {
      for (const [name, usage] of usageHistories) {
        usage.writeThrough((batch) => call('addUsage', name, batch));
      }
      for (const [name, recorder] of callRecorders) {
        recorder.writeThrough((batch) => call('addCalls', name, batch));
      }
    },
  };
}

function measureOutages(environment: Environment, metrics: Metrics): void {
  const { name, settings, store } = environment;
  const { outage } = store;
  metrics.gauge(
    'bellhop_without_database',
    '1 while the database does not answer and keys that signed in before are served without it.',
    { environment: name },
    () => (outage.isAway() && outage.mayGoOn() ? 1 : 0),
  );
  metrics.gauge(
    'bellhop_without_database_seconds',
    'How long the database has not answered; 0 while it answers.',
    { environment: name },
    () => (outage.isAway() ? outage.silentForMs() / 1_000 : 0),
  );
  metrics.gauge(
    'bellhop_without_database_allowed_seconds',
    'How long keys that signed in before may be served without the database, as the setting SERVE_WITHOUT_DATABASE of the environment says.',
    { environment: name },
    () => settings.serveWithoutDatabaseMs / 1_000,
  );
}

/** Not yet listening. */
async function createServer(
  environment: CountingEnvironment,
  own: {
    signInParts: KeySignInParts;
    noted: { usage: UsageCounts; calls: CallSamples | undefined };
    certificate: Certificate | undefined;
    upstreamCertificate: Certificate | undefined;
  },
  { config, metrics, log: processLog, tracer }: PartnerHalf,
  closing: AsyncDisposableStack,
): Promise<Server> {
  const { name, settings, limiter, clock, log } = environment;
  const { signInParts, certificate, upstreamCertificate, noted } = own;
  const forwarder = await openForwarder(environment, upstreamCertificate, tracer);
  closing.defer(() => forwarder.close());
  const { trustedProxies } = config;
  return createPartnerApi({
    ...signInParts,
    limiter,
    forwarder,
    trustedProxies,
    errorForm: settings.errorForm,
    connections: boundConnections({ listener: name, trustedProxies, clock, metrics }),
    record: createRecorder({
      environment: name,
      log: processLog,
      metrics,
      clock,
      tracer,
      ...noted,
    }),
    calls: noted.calls,
    isStorageTrouble: (error) => storageTroubleOf(error) !== undefined,
    log,
    tracer,
    certificate,
    referenceCalls: name === 'sandbox' ? allowReferenceCalls(originsOfDocs(config)) : undefined,
  });
}

/** Where the documentation is, as far as the operator has said so. */
function originsOfDocs({ backOfficeUrl, portalUrl }: Config): string[] {
  return [backOfficeUrl, portalUrl].flatMap((url) => (url ? [new URL(url).origin] : []));
}

/** The HTTP client is loaded only if there is an upstream. */
async function openForwarder(
  { name, settings, clock }: Environment,
  certificate: Certificate | undefined,
  tracer: Tracer | undefined,
): Promise<Forwarder> {
  const { upstreamUrl: url, upstreamTimeoutMs: timeoutMs } = settings;
  if (url === undefined) return noUpstream;
  const { createForwarder } = await import('../gateway/forward.ts');
  return createForwarder({ url, timeoutMs, certificate, environment: name, clock, tracer });
}

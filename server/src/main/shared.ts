/** What both halves of the process use, opened in the main thread. */
import { systemClock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { listenersOf, upstreamTlsOf } from '../base/config/listeners.ts';
import type { Variables } from '../base/config/secret-files.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { createLog, type ProcessLog } from '../base/log.ts';
import { outputIn } from '../base/logging/pretty-output.ts';
import { Metrics } from '../base/metrics.ts';
import { openTracer } from '../base/tracing/open.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { createKeySignIn, type KeySignIn, type KeySignInParts } from '../gateway/key-sign-in.ts';
import { Keyring } from '../gateway/keyring.ts';
import { FailedLogins } from '../gateway/sign-in/failed-logins.ts';
import { Certificate } from '../listener/certificate.ts';
import type { MasterKeys } from '../operate/master-key.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { openBackOfficeStore } from '../store/open.ts';
import {
  type ByEnvironment,
  type CountingEnvironment,
  openEnvironment,
  withLimiter,
} from './environment.ts';

export interface Shared {
  config: Config;
  environments: ByEnvironment<CountingEnvironment>;
  /** Of a process with a partner API or a portal. Both count failures together. */
  keySignIns: ByEnvironment<OpenKeySignIn>;
  /** Of a process with a back office. If the services thread serves that, it attaches to this one. */
  backOfficeStore: BackOfficeStore | undefined;
  metrics: Metrics;
  log: ProcessLog;
  /** Undefined if nothing is traced. */
  tracer: Tracer | undefined;
}

interface SharedParts extends MasterKeys {
  variables: Variables;
  config: Config;
  stopping: AbortSignal;
  /** As in `EnvironmentParts`. */
  onDataGone(error: Error): void;
}

export async function openShared(
  { variables, config, stopping, ...parts }: SharedParts,
  closing: AsyncDisposableStack,
): Promise<Shared> {
  const metrics = new Metrics();
  const log = openLog(config, metrics, closing);
  const has = (...roles: Config['roles']) => roles.some((role) => config.roles.includes(role));
  const admits = has('partner-api');
  const thread = admits ? 'partner-api' : 'services';
  const tracer = await openTracer({ variables, thread, metrics, log }, closing);
  const common = { ...parts, config, clock: systemClock, log };
  const environments = new Map<EnvironmentName, CountingEnvironment>();
  for (const name of config.environments) {
    stopping.throwIfAborted();
    const environment = await openEnvironment({ ...common, name }, closing);
    environments.set(name, await withLimiter(environment, { admits, metrics }, closing));
  }
  stopping.throwIfAborted();
  const keySignIns = has('partner-api', 'portal')
    ? openKeySignIns(environments, closing)
    : new Map<EnvironmentName, OpenKeySignIn>();
  const backOfficeStore = has('back-office')
    ? await openBackOfficeStore({ ...common, environments })
    : undefined;
  closing.defer(() => backOfficeStore?.close());
  return { config, environments, keySignIns, backOfficeStore, metrics, log, tracer };
}

function openLog(config: Config, metrics: Metrics, closing: AsyncDisposableStack): ProcessLog {
  const droppedLines = metrics.counter(
    'bellhop_log_lines_dropped_total',
    'Log lines dropped because standard error could not be written.',
  );
  const log = createLog(config.logLevel, {
    output: outputIn(config.logFormat),
    onDropped: (lines) => droppedLines.add(lines),
  });
  closing.defer(() => log.end());
  return log;
}

/** Before anything is opened, although the files are read again when they are needed. */
export function checkCertificates(config: Config): void {
  const files = [...listenersOf(config).values()].map(({ tls }) => tls);
  for (const name of config.environments) files.push(upstreamTlsOf(name, config[name]));
  for (const each of files) if (each) new Certificate(each);
}

interface OpenKeySignIn extends KeySignInParts {
  /** For the portal. */
  signIn: KeySignIn;
}

/** What signs the keys of each environment in: its keyring, and the failures that both its listeners count. */
function openKeySignIns(
  environments: ByEnvironment<CountingEnvironment>,
  closing: AsyncDisposableStack,
): ByEnvironment<OpenKeySignIn> {
  const opened = new Map<EnvironmentName, OpenKeySignIn>();
  for (const [name, { store, vault, limiter, clock }] of environments) {
    const { keys: lookup, invalidations, outage } = store;
    const keyring = new Keyring({ lookup, invalidations, outage, vault, clock });
    closing.defer(() => keyring.close());
    const parts = { keyring, failedLogins: new FailedLogins(clock, limiter), clock };
    opened.set(name, { ...parts, signIn: createKeySignIn(parts) });
  }
  return opened;
}

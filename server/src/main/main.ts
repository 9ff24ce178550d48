/**
 * The composition root: everything is opened and wired here, in order, and closed in reverse. The main
 * thread serves the partner API. Webhooks and the back office run beside it in a second thread
 * (threads/), or here in a process without a partner API. Only the back office's router knows more
 * than one environment.
 */
import { systemClock } from '../base/clock.ts';
import { type Config, readConfig, readSecretFiles } from '../base/config/config.ts';
import { listenersOf, upstreamTlsOf } from '../base/config/listeners.ts';
import type { Variables } from '../base/config/secret-files.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { demoCall, keepDemoKey } from '../base/demo-key.ts';
import { closeAll, Drains } from '../base/disposal.ts';
import { createLog, type Log, type ProcessLog } from '../base/log.ts';
import { outputIn } from '../base/logging/pretty-output.ts';
import { Metrics } from '../base/metrics.ts';
import { openTracer } from '../base/tracing/open.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { VERSION } from '../base/version.ts';
import type { KeySignIn } from '../gateway/key-sign-in.ts';
import { Certificate } from '../listener/certificate.ts';
import { checkListeners } from '../listener/listen.ts';
import { obtainMasterKeys } from '../operate/master-key.ts';
import { keepAdminToken } from '../operate/secrets.ts';
import { trustAuthorities } from '../receiver/trusted-cas.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import {
  type ByEnvironment,
  type CountingEnvironment,
  type Environment,
  openEnvironment,
  withLimiter,
} from './environment.ts';
import { readVariablesAgain, useNewCredentials, useNewLogLevel } from './reload.ts';
import type { ServicesHalf } from './services.ts';
import { mainSideOf, partnerSideOf } from './threads/main-side.ts';
import { type ServicesThread, startServicesThread } from './threads/start-services-thread.ts';

export interface Running {
  /** The addresses of `production`, `sandbox`, `backOffice`, `portal` and `monitoring`, as far as they are served. */
  addresses: Record<string, string>;
  /** Resolves to a sentence if this process cannot continue and must be stopped. */
  failed: Promise<string>;
  log: Log;
  /** Reads again what may change without a restart ("Signals" in docs/operating/upgrading.md), and logs the result. */
  reload(): Promise<void>;
  /** Says that it is not ready from now on, and asks callers for other connections, while everything goes on. */
  retire(): void;
  /** Rejects with an AggregateError of everything that could not be closed. */
  stop(): Promise<void>;
}

interface Shared {
  config: Config;
  environments: ByEnvironment<CountingEnvironment>;
  metrics: Metrics;
  log: ProcessLog;
  tracer: Tracer | undefined;
  usageEveryMs: number | undefined;
  isStopping(): boolean;
}

type Say = (line: string) => void;
type Addresses = Record<string, string>;

/**
 * `given` are the raw settings; `say` prints a line of start-up text for people. If `stopping` is aborted before
 * it has started, it closes what is open and rejects with the reason. `startServices` opens the other half.
 * `usageEveryMs` is how often the usage history is written, if not as often as usual.
 */
export async function start(
  given: Variables,
  say: Say,
  stopping = new AbortController().signal,
  startServices = startServicesThread,
  usageEveryMs?: number,
): Promise<Running> {
  // Read once: the services thread must not see another content of a file than this one.
  const variables = readSecretFiles(given);
  const config = readConfig(variables);
  trustAuthorities(config.caFile);
  checkCertificates(config);
  await checkListeners(listenersOf(config).values());
  const { masterKey, previousMasterKeys } = obtainMasterKeys(config);
  const failed = Promise.withResolvers<string>();
  const closing = new AsyncDisposableStack();
  try {
    const metrics = new Metrics();
    const log = openLog(config, metrics, closing);
    const thread = config.roles.includes('partner-api') ? 'partner-api' : 'services';
    const tracer = await openTracer({ variables, thread, metrics, log }, closing);

    const onDataGone = (error: Error) => failed.resolve(error.message);
    const environments = new Map<EnvironmentName, CountingEnvironment>();
    const admits = config.roles.includes('partner-api');
    for (const name of config.environments) {
      stopping.throwIfAborted();
      const environment = await openEnvironment(
        {
          name,
          config,
          masterKey,
          previousMasterKeys,
          clock: systemClock,
          log,
          onDataGone,
        },
        closing,
      );
      environments.set(name, await withLimiter(environment, { admits, metrics }, closing));
    }
    stopping.throwIfAborted();
    // Only now, because settings of databases prove to be wrong only when they are opened.
    say(`Bellhop ${VERSION} on Node ${process.versions.node}`);
    for (const environment of environments.values()) say(describe(environment));
    const { roles } = config;
    const hasServices = roles.some((role) => role !== 'partner-api');
    let isStopping = false;
    const shared: Shared = {
      ...{ config, environments, metrics, log, tracer, usageEveryMs },
      isStopping: () => isStopping,
    };
    const backOfficeStore = roles.includes('back-office')
      ? await openTokenStore(shared, onDataGone, closing)
      : undefined;
    if (backOfficeStore) await announceFirstToken(config, backOfficeStore, say);

    const drains = new Drains();
    let addresses: Addresses = {};
    let createDemo: CreateDemo = (setting) => createDemoHere(config, environments, setting);
    const reloads: ((now: Variables) => void | Promise<void>)[] = [
      (now) => useNewLogLevel(log, now),
      (now) => useNewCredentials(environments, now),
    ];
    if (roles.includes('partner-api')) {
      const partnerApis = await openPartnerHalf(shared, closing);
      closing.use(drains);
      stopping.throwIfAborted();
      addresses = await partnerApis.listen(drains);
      reloads.push(() => partnerApis.reload());
      if (hasServices) {
        const { usageHistories, callRecorders, keySignIns } = partnerApis;
        const thread = await startServices(
          {
            variables,
            masterKey: masterKey.toString('base64'),
            previousMasterKeys: previousMasterKeys.map((key) => key.toString('base64')),
            partnerApiAddresses: addresses,
          },
          mainSideOf({ ...shared, keySignIns }),
        );
        // A thread that is gone needs not know; `failed` says so.
        drains.add(thread.stop, () => thread.retire().catch(() => {}));
        reloads.push((now) => thread.reload(now));
        createDemo = (setting) => thread.createDemo(setting);
        void thread.failed.then(failed.resolve);
        for (const [name, usage] of usageHistories) {
          usage.writeThrough((batch) => thread.addUsage(name, batch));
        }
        for (const [name, recorder] of callRecorders) {
          recorder.writeThrough((batch) => thread.addCalls(name, batch));
        }
        addresses = { ...addresses, ...thread.addresses };
      }
    } else if (hasServices) {
      const services = await openServicesHalf(shared, backOfficeStore, closing);
      addresses = await services.start(closing.use(drains));
      reloads.push(() => services.reload());
    }
    stopping.throwIfAborted();
    await announceDemo(config, createDemo, addresses.sandbox, say);
    let inUse = variables;
    const reload = async () => {
      // With files that cannot be used, everything stays as it is.
      inUse = readVariablesAgain(given, variables, log) ?? inUse;
      for (const each of reloads) await each(inUse);
    };
    const retire = () => {
      isStopping = true;
      drains.retire();
    };
    const stop = () => closeAll(closing);
    return { addresses, failed: failed.promise, log, reload, retire, stop };
  } catch (error) {
    // The reason why it did not start matters more than what could not be closed.
    await closing.disposeAsync().catch(() => {});
    throw error;
  }
}

/*
 * Each half is loaded only in the thread that runs it: the back office with its schemas and Fastify
 * takes more memory than all of the partner API.
 */

async function openPartnerHalf(shared: Shared, closing: AsyncDisposableStack) {
  const { openPartnerApis } = await import('./partner-apis.ts');
  return openPartnerApis(shared, closing);
}

async function openServicesHalf(
  shared: Shared,
  backOfficeStore: BackOfficeStore | undefined,
  closing: AsyncDisposableStack,
) {
  const { openServices } = await import('./services.ts');
  const partnerSide = {
    ...partnerSideOf(shared),
    // The back office adds the metrics of its own thread, which are these.
    metricsText: () => '',
  };
  const trouble = () => undefined;
  const keySignIn = await openOwnKeySignIns(shared, closing);
  const half = {
    ...shared,
    backOfficeStore,
    partnerApiAddresses: {},
    partnerSide,
    keySignIn,
    trouble,
  };
  return openServices(half, closing);
}

/** Of a process without a partner API. */
async function openOwnKeySignIns(
  { config, environments }: Shared,
  closing: AsyncDisposableStack,
): Promise<ServicesHalf['keySignIn']> {
  const signIns = new Map<EnvironmentName, KeySignIn>();
  if (config.roles.includes('portal')) {
    const { openKeySignIn } = await import('./key-sign-ins.ts');
    const { createKeySignIn } = await import('../gateway/key-sign-in.ts');
    for (const [name, environment] of environments) {
      signIns.set(name, createKeySignIn(openKeySignIn(environment, closing)));
    }
  }
  return async (name, key) => {
    const signIn = signIns.get(name);
    if (!signIn) throw new Error(`${name} is not served here`);
    return signIn(key);
  };
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
function checkCertificates(config: Config): void {
  const files = [...listenersOf(config).values()].map(({ tls }) => tls);
  for (const name of config.environments) files.push(upstreamTlsOf(name, config[name]));
  for (const each of files) if (each) new Certificate(each);
}

function describe({ name, settings }: Environment): string {
  return (
    `  ${name}: ${settings.databaseUrl ? 'PostgreSQL' : 'embedded database'}, ` +
    `limits in ${settings.redisUrl ? 'Redis' : 'this process'}, ` +
    `${settings.upstreamUrl ? 'forwarding' : 'no upstream'}`
  );
}

/** Opened here even if the services thread serves the back office: that thread attaches to it. */
async function openTokenStore(
  { config, environments, log }: Shared,
  onDataGone: (error: Error) => void,
  closing: AsyncDisposableStack,
): Promise<BackOfficeStore> {
  const { openBackOfficeStore } = await import('../store/open.ts');
  const clock = systemClock;
  const store = await openBackOfficeStore({ config, environments, clock, log, onDataGone });
  closing.defer(() => store.close());
  return store;
}

async function announceFirstToken(config: Config, store: BackOfficeStore, say: Say) {
  const { ensureFirstToken } = await import('../resources/tokens/first-token.ts');
  const token = await ensureFirstToken(store, config.adminToken);
  if (token === undefined) return;
  const sandboxAlone = !config.environments.includes('production');
  const file = keepAdminToken(config.dataDir, token, sandboxAlone);
  const kept = file ? `kept in ${file}` : 'which could not be kept in the data folder';
  say(`  Admin token for the back office, ${kept}: ${token}`);
}

type CreateDemo = ServicesThread['createDemo'];

async function announceDemo(
  { dataDir, demo: setting, sandbox }: Config,
  createDemo: CreateDemo,
  sandboxAddress: string | undefined,
  say: Say,
) {
  const embedded = sandbox.databaseUrl === undefined;
  const wanted = setting === 'on' || (setting === undefined && embedded);
  if (!sandboxAddress || !wanted) return;
  const demo = await createDemo(setting === 'on' ? 'on' : undefined);
  if (!demo) return;
  say('  A demo partner with a key is in the sandbox. Try it:');
  say(`  ${demoCall(demo, sandboxAddress)}`);
  keepDemoKey(dataDir, demo);
}

/** Of a process that has the partner API alone. */
async function createDemoHere(
  { sandboxOffer }: Config,
  environments: ByEnvironment<Environment>,
  setting: 'on' | undefined,
) {
  const sandbox = environments.get('sandbox');
  if (!sandbox) return undefined;
  const { createDemo } = await import('../resources/create-demo.ts');
  return createDemo({ ...sandbox, sandboxOffer }, setting);
}

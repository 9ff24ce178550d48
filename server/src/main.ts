/**
 * The composition root: everything is built and wired here, in order, and shut down in reverse. The
 * main thread serves the partner API; delivery and the back office run beside it in a second one
 * (threads/), or here where there is no partner API. Nothing else knows of more than one environment
 * but the back office's router.
 */
import { systemClock } from './clock.ts';
import { readConfig } from './config/config.ts';
import type { EnvironmentName } from './config/settings.ts';
import { createDemo } from './demo.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { drain, listen } from './listening/listen.ts';
import { createLog } from './log.ts';
import { obtainMasterKey } from './master-key.ts';
import { Metrics } from './metrics.ts';
import { keepAdminToken } from './secrets.ts';
import { startServices, tokenKeeper } from './services.ts';
import { ensureFirstToken } from './support/tokens.ts';
import { mainSideOf } from './threads/main-side.ts';
import { partnerSideOf } from './threads/partner-side.ts';
import { startServicesThread } from './threads/start-services-thread.ts';
import { VERSION } from './version.ts';

type Environments = Map<EnvironmentName, Environment>;

export interface Running {
  /** What is served where: `production`, `sandbox`, `backOffice`. */
  addresses: Record<string, string>;
  /** Resolves to a sentence once this process cannot go on and must be stopped. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

/** `variables` are the settings as they came; `say` prints a line of start-up text for people. */
export async function start(
  variables: Record<string, string | undefined>,
  say: (line: string) => void,
): Promise<Running> {
  const config = readConfig(variables);
  const masterKey = obtainMasterKey(config);
  const metrics = new Metrics();
  const droppedLines = metrics.counter(
    'bellhop_log_lines_dropped_total',
    'Log lines dropped because standard error could not be written.',
  );
  const log = createLog(config.logLevel, { onDropped: (lines) => droppedLines.add(lines) });
  const failed = Promise.withResolvers<string>();
  const drains: (() => Promise<unknown>)[] = [];
  const closers: (() => Promise<unknown>)[] = [() => log.end()];
  const stop = async () => {
    // All at once: one after another, something slow in each would outlast the time for a stop.
    const drained = await Promise.allSettled(drains.splice(0).map((drain) => drain()));
    const failures = drained.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const close of closers.splice(0).reverse()) {
      // One that fails must not keep the next from saving what is its own.
      await close().catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be saved');
  };
  try {
    say(`Bellhop ${VERSION} on Node ${process.versions.node}`);
    const environments = await openEnvironments();
    await announceSecrets(environments);
    const addresses = {
      ...(await openPartnerApis(environments)),
      ...(await openServices(environments)),
    };
    await announceDemo(environments, addresses);
    return { addresses, failed: failed.promise, stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }

  async function openEnvironments(): Promise<Environments> {
    const environments: Environments = new Map();
    for (const name of config.environments) {
      const settings = config[name];
      const environment = await openEnvironment({
        ...config,
        name,
        settings,
        masterKey,
        clock: systemClock,
        log,
        metrics,
        onDataGone: (error) => failed.resolve(error.message),
      });
      closers.push(() => environment.close());
      environments.set(name, environment);
      say(
        `  ${name}: ${settings.databaseUrl ? 'PostgreSQL' : 'embedded database'}, ` +
          `limits in ${settings.redisUrl ? 'Redis' : 'this process'}, ` +
          `${settings.upstreamUrl ? 'forwarding' : 'no upstream'}`,
      );
    }
    return environments;
  }

  async function announceSecrets(environments: Environments): Promise<void> {
    if (!config.roles.includes('back-office')) return;
    const { store } = tokenKeeper(environments);
    const token = await ensureFirstToken(store, config.adminToken);
    if (token === undefined) return;
    const sandboxAlone = !config.environments.includes('production');
    const file = keepAdminToken(config.dataDir, token, sandboxAlone);
    const kept = file ? `kept in ${file}` : 'which could not be kept in the data folder';
    say(`  Admin token for the back office, ${kept}: ${token}`);
  }

  async function openPartnerApis(environments: Environments): Promise<Record<string, string>> {
    const addresses: Record<string, string> = {};
    if (!config.roles.includes('partner-api')) return addresses;
    for (const [name, environment] of environments) {
      const api = environment.openPartnerApi();
      closers.push(() => api.close());
      drains.push(() => drain(api.server));
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      const variable = `BELLHOP_${name.toUpperCase()}_PORT`;
      addresses[name] = await listen(api.server, { host: config.host, port, variable });
    }
    return addresses;
  }

  async function openServices(environments: Environments): Promise<Record<string, string>> {
    const { roles } = config;
    if (!roles.includes('delivery') && !roles.includes('back-office')) return {};
    const partnerSide = partnerSideOf(environments, metrics);
    if (roles.includes('partner-api')) {
      const thread = await startServicesThread(
        { variables, masterKey: masterKey.toString('base64') },
        mainSideOf(partnerSide, log),
      );
      drains.push(() => thread.stop());
      void thread.failed.then(failed.resolve);
      return thread.addresses;
    }
    const services = await startServices({
      config,
      environments,
      // The same metrics as the services' own.
      partnerSide: { ...partnerSide, metricsText: () => '' },
      trouble: () => undefined,
      log,
      metrics,
    });
    drains.push(() => services.stop());
    return services.addresses;
  }

  async function announceDemo(
    environments: Environments,
    addresses: Record<string, string>,
  ): Promise<void> {
    const sandbox = environments.get('sandbox');
    const embedded = config.sandbox.databaseUrl === undefined;
    const wanted = config.demo === 'on' || (config.demo === undefined && embedded);
    if (!sandbox || !addresses.sandbox || !wanted) return;
    const demo = await createDemo(sandbox, config.demo === 'on' ? 'on' : undefined);
    if (!demo) return;
    say('  A demo partner with a key is in the sandbox. Try it:');
    say(`  curl -u ${demo.keyId}:${demo.apiKey} ${addresses.sandbox}/api/b2b/v3/overview/`);
  }
}

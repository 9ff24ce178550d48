/**
 * The composition root: everything is built and wired here, in order, and shut down in reverse.
 * Nothing else knows of more than one environment but the back office's router.
 */
import type { Server } from 'node:http';
import { createBackOffice } from './back-office/app.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { EnvironmentName } from './config/settings.ts';
import { createDemo } from './demo.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { drain, listen } from './listening.ts';
import { createLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { keepAdminToken, masterKeyIn } from './secrets.ts';
import { ensureFirstToken } from './support/tokens.ts';
import { VERSION } from './version.ts';

export interface Running {
  /** What is served where: `production`, `sandbox`, `backOffice`. */
  addresses: Record<string, string>;
  stop(): Promise<void>;
}

/** `say` prints a line of start-up text for people. */
export async function start(config: Config, say: (line: string) => void): Promise<Running> {
  const log = createLog(config.logLevel);
  const metrics = new Metrics();
  const closers: (() => Promise<unknown>)[] = [() => log.end()];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    say(`Bellhop ${VERSION} on Node ${process.versions.node}`);
    const environments = await openEnvironments();
    await announceSecrets(environments);
    if (config.roles.includes('delivery')) await startDeliveries(environments);
    const addresses = await openListeners(environments);
    await announceDemo(environments, addresses);
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function openEnvironments(): Promise<Map<EnvironmentName, Environment>> {
    const masterKey = config.masterKey ?? masterKeyIn(config.dataDir);
    const environments = new Map<EnvironmentName, Environment>();
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

  async function announceSecrets(environments: Map<EnvironmentName, Environment>): Promise<void> {
    if (!config.roles.includes('back-office')) return;
    const { store } = tokenKeeper(environments);
    const token = await ensureFirstToken(store, config.adminToken);
    if (token === undefined) return;
    keepAdminToken(config.dataDir, token);
    say(`  Admin token for the back office, shown this once: ${token}`);
  }

  async function startDeliveries(environments: Map<EnvironmentName, Environment>): Promise<void> {
    for (const environment of environments.values()) {
      const delivery = await environment.startDelivery();
      closers.push(() => delivery.stop());
    }
  }

  async function openListeners(
    environments: Map<EnvironmentName, Environment>,
  ): Promise<Record<string, string>> {
    const listeners: { name: string; server: Server; port: number; variable: string }[] = [];
    if (config.roles.includes('partner-api')) {
      for (const [name, environment] of environments) {
        const api = environment.openPartnerApi();
        closers.push(() => api.close());
        const port = name === 'production' ? config.productionPort : config.sandboxPort;
        const variable = `BELLHOP_${name.toUpperCase()}_PORT`;
        listeners.push({ name, server: api.server, port, variable });
      }
    }
    if (config.roles.includes('back-office')) {
      const app = await createBackOffice({
        desks: environments,
        tokenStore: tokenKeeper(environments).store,
        metrics,
        log,
      });
      closers.push(() => app.close());
      const port = config.backOfficePort;
      const variable = 'BELLHOP_BACK_OFFICE_PORT';
      listeners.push({ name: 'backOffice', server: app.server, port, variable });
    }
    // All at once: one after another, a slow request on each would outlast the time for a stop.
    closers.push(() => Promise.all(listeners.map(({ server }) => drain(server))));
    const addresses: Record<string, string> = {};
    for (const { name, server, ...where } of listeners) {
      addresses[name] = await listen(server, { host: config.host, ...where });
    }
    return addresses;
  }

  async function announceDemo(
    environments: Map<EnvironmentName, Environment>,
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

function tokenKeeper(environments: Map<EnvironmentName, Environment>): Environment {
  return environments.values().next().value as Environment;
}

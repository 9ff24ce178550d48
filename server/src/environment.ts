/**
 * One sealed environment: its store, vault, limits and partner API, built from its own settings and
 * nothing else. Nothing in here can reach another environment, because nothing in here knows of one.
 */
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Config, EnvironmentConfig } from './config/config.ts';
import type { EnvironmentName } from './config/settings.ts';
import { type Delivery, openDelivery } from './delivery/open.ts';
import type { Limiter } from './limits/limiter.ts';
import { createMemoryLimiter } from './limits/memory-limiter.ts';
import { createRedisLimiter } from './limits/redis-limiter.ts';
import { boundConnections } from './listening/connections.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { FailedLogins } from './partner-api/failed-logins.ts';
import { createForwarder, noUpstream } from './partner-api/forward.ts';
import { Keyring } from './partner-api/keyring.ts';
import { createPartnerApi } from './partner-api/listener.ts';
import { createRecorder } from './partner-api/record.ts';
import { type RefusedKey, RefusedKeys } from './partner-api/refused-keys.ts';
import { DatabaseAway } from './store/database-away.ts';
import { openPostgresStore } from './store/postgres/open.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';
import type { Desk } from './support/desk.ts';
import { Vault } from './vault.ts';

export interface EnvironmentParts {
  name: EnvironmentName;
  settings: EnvironmentConfig;
  dataDir: string;
  masterKey: Buffer;
  trustedProxies: Config['trustedProxies'];
  sandboxOffer: Config['sandboxOffer'];
  alertUrl: Config['alertUrl'];
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Given in a second thread of a process whose main thread has opened this environment. */
  attachedTo?: Limiter;
  /** The embedded database was deleted, moved or replaced. */
  onDataGone?: (error: Error) => void;
}

export interface Environment extends Desk {
  /** Begins to deliver webhooks. */
  startDelivery: Delivery['start'];
  /** The partner API's server, not yet listening, and what it holds besides. */
  openPartnerApi(): { server: Server; close(): Promise<void> };
  /** Keys that this process refused most by their limits in the last hour. */
  refusedKeys(): RefusedKey[];
  close(): Promise<void>;
}

export async function openEnvironment(parts: EnvironmentParts): Promise<Environment> {
  const { name, settings, clock, metrics } = parts;
  const log = parts.log.child({ environment: name });
  const vault = new Vault(parts.masterKey, name);
  const store = await openStore({ ...parts, log }, vault);
  const limiter = parts.attachedTo ?? (await openLimiter({ ...parts, log }, store));
  const refusedKeys = new RefusedKeys(clock);
  const delivery = openDelivery({
    environment: name,
    settings,
    alertUrl: parts.alertUrl,
    store,
    vault,
    clock,
    log,
    metrics,
  });
  return {
    environment: name,
    webhooks: delivery,
    startDelivery: delivery.start,
    store,
    vault,
    limiter,
    clock,
    sandboxOffer: parts.sandboxOffer,
    openPartnerApi() {
      const keyring = new Keyring({
        lookup: store.keys,
        changes: store.keyChanges,
        vault,
        clock,
      });
      const forwarder = settings.upstreamUrl
        ? createForwarder({
            url: settings.upstreamUrl,
            timeoutMs: settings.upstreamTimeoutMs,
            environment: name,
            clock,
          })
        : noUpstream;
      const server = createPartnerApi({
        keyring,
        failedLogins: new FailedLogins(clock),
        limiter,
        forwarder,
        clock,
        trustedProxies: parts.trustedProxies,
        errorForm: settings.errorForm,
        connections: boundConnections({
          listener: name,
          trustedProxies: parts.trustedProxies,
          metrics,
        }),
        record: createRecorder({ environment: name, log: parts.log, metrics, clock, refusedKeys }),
        log,
      });
      return {
        server,
        async close() {
          keyring.close();
          await forwarder.close();
        },
      };
    },
    refusedKeys: () => refusedKeys.top(),
    async close() {
      await delivery.close();
      // Whatever the limits could not save, the database is closed.
      await closeLimits().finally(() => store.close());
    },
  };

  /**
   * A stop does not fail because the database is away: what outlives a crash is saved already,
   * and windows of less than an hour begin again.
   */
  async function closeLimits(): Promise<void> {
    try {
      await limiter.close();
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
      log.warn({ err: error }, 'what short windows have counted is lost');
    }
  }
}

function openStore(parts: EnvironmentParts, vault: Vault): Promise<Store> {
  const { name, settings, dataDir, clock, log } = parts;
  return settings.databaseUrl
    ? openPostgresStore({ url: settings.databaseUrl, environment: name, vault, clock, log })
    : openSqliteStore({
        folder: join(dataDir, name),
        environment: name,
        vault,
        clock,
        log,
        attach: parts.attachedTo !== undefined,
        ...(parts.onDataGone && { onGone: parts.onDataGone }),
      });
}

async function openLimiter(parts: EnvironmentParts, store: Store): Promise<Limiter> {
  const { name, settings, clock, log, metrics } = parts;
  const limiter = settings.redisUrl
    ? await createRedisLimiter({
        url: settings.redisUrl,
        prefix: `bellhop:${name}`,
        clock,
        log,
        journal: store.admissions,
      })
    : await createMemoryLimiter({ clock, journal: store.admissions });
  metrics.gauge(
    'bellhop_limits_degraded',
    '1 while limits that should be shared are held by this node alone, or long windows cannot be saved.',
    { environment: name },
    () => (limiter.trouble() ? 1 : 0),
  );
  return limiter;
}

/**
 * Everything but the partner API: delivery and the back office. It runs in a thread of its own
 * beside the partner API, and in the main thread of a process that has no partner API.
 */
import { createBackOffice } from './back-office/app.ts';
import type { Config } from './config/config.ts';
import type { EnvironmentName } from './config/settings.ts';
import type { Environment } from './environment.ts';
import { drain, listen } from './listening/listen.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { PartnerSide } from './threads/partner-side.ts';

export interface Services {
  /** `backOffice`, if it is served. */
  addresses: Record<string, string>;
  stop(): Promise<void>;
}

export async function startServices(parts: {
  config: Config;
  environments: ReadonlyMap<EnvironmentName, Environment>;
  partnerSide: PartnerSide;
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  log: Log;
  metrics: Metrics;
}): Promise<Services> {
  const { config, environments, partnerSide, trouble, log, metrics } = parts;
  const drains: (() => Promise<unknown>)[] = [];
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    // All at once, or deliveries would go on while a slow request is waited for.
    await Promise.all(drains.splice(0).map((drain) => drain()));
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    if (config.roles.includes('delivery')) await startDeliveries();
    const backOffice = config.roles.includes('back-office') ? await openBackOffice() : undefined;
    return { addresses: backOffice === undefined ? {} : { backOffice }, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function startDeliveries(): Promise<void> {
    for (const environment of environments.values()) {
      const delivery = await environment.startDelivery();
      drains.push(() => delivery.stop());
    }
  }

  async function openBackOffice(): Promise<string> {
    const { store, clock } = tokenKeeper(environments);
    const app = await createBackOffice({
      desks: environments,
      tokenStore: store,
      partnerSide,
      trouble,
      trustedProxies: config.trustedProxies,
      clock,
      metrics,
      log,
    });
    closers.push(() => app.close());
    drains.push(() => drain(app.server));
    return listen(app.server, {
      host: config.host,
      port: config.backOfficePort,
      variable: 'BELLHOP_BACK_OFFICE_PORT',
    });
  }
}

/** A token is of no environment; it is kept in the database of the first one that is served. */
export function tokenKeeper(environments: ReadonlyMap<EnvironmentName, Environment>): Environment {
  return environments.values().next().value as Environment;
}

/**
 * One sealed environment: its vault, its database and its limits, opened from its own settings and
 * nothing else. Nothing in here can reach another environment, because nothing in here knows of one.
 */
import type { Clock } from '../base/clock.ts';
import type { Config, EnvironmentConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { DatabaseAway } from '../base/database-errors.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { Vault } from '../base/sealing/vault.ts';
import type { Limiter, LimitReader } from '../limiter/limiter.ts';
import { openLimiter } from '../limiter/open.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

export interface EnvironmentParts {
  name: EnvironmentName;
  config: Config;
  masterKey: Buffer;
  /** Earlier ones that still open what they have sealed. */
  previousMasterKeys?: readonly Buffer[];
  /** The machine's, or a test's. */
  clock: Clock;
  log: Log;
  /** Another thread of this process has opened the embedded database, and closes it last. */
  attach?: boolean;
  /** The database was moved, or the embedded one was deleted or replaced. */
  onDataGone?: (error: Error) => void;
}

export interface Environment {
  readonly name: EnvironmentName;
  readonly settings: EnvironmentConfig;
  readonly vault: Vault;
  readonly store: Store;
  readonly clock: Clock;
  /** Each line names the environment. */
  readonly log: Log;
}

/** In the thread that counts calls. */
export interface CountingEnvironment extends Environment {
  readonly limiter: Limiter;
}

/** In a thread that can only read the limits. */
export interface ReadingEnvironment extends Environment {
  readonly limiter: LimitReader;
}

export type ByEnvironment<T> = ReadonlyMap<EnvironmentName, T>;

export async function openEnvironment(
  { name, config, masterKey, previousMasterKeys, clock: machineClock, ...parts }: EnvironmentParts,
  closing: AsyncDisposableStack,
): Promise<Environment> {
  const settings = config[name];
  const log = parts.log.child({ environment: name });
  const vault = new Vault(masterKey, name, previousMasterKeys);
  const { store, clock } = await openStore({
    ...{ config, name, vault, clock: machineClock, log },
    attach: parts.attach,
    onDataGone: parts.onDataGone,
  });
  closing.defer(() => store.close());
  return { name, settings, vault, store, clock, log };
}

export async function withLimiter(
  environment: Environment,
  { admits, metrics }: { admits: boolean; metrics: Metrics },
  closing: AsyncDisposableStack,
): Promise<CountingEnvironment> {
  const { name, settings, store, clock, log } = environment;
  const limiter = await openLimiter({
    environment: name,
    redisUrl: settings.redisUrl,
    journal: store.admissions,
    outage: store.outage,
    admits,
    clock,
    log,
    metrics,
  });
  const unsubscribe = store.failovers?.subscribe((ms) => limiter.journalLost?.(ms));
  closing.defer(async () => {
    unsubscribe?.();
    try {
      await limiter.close();
    } catch (error) {
      // A stop does not fail if the database is unreachable: whatever survives a crash is already saved,
      // and windows shorter than an hour start empty.
      if (!(error instanceof DatabaseAway)) throw error;
      log.warn({ err: error }, 'the counts of short windows are lost');
    }
  });
  return { ...environment, limiter };
}

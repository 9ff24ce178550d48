/**
 * What SIGHUP does about settings. The files of settings are read again. A new user or password of a database or a Redis
 * counts for connections that are opened from then on, and a log level at once. Whatever else has changed needs a restart,
 * and is only reported.
 */
import {
  allSettings,
  ConfigError,
  databaseVariable,
  directVariable,
  readConfig,
  readSecretFiles,
  redisVariable,
} from '../base/config/config.ts';
import { withoutRedisUsers } from '../base/config/redis-address.ts';
import type { Variables } from '../base/config/secret-files.ts';
import type { Log } from '../base/log.ts';
import type { LeveledLog } from '../base/logging/logger.ts';
import type { Limiter, LimitReader } from '../limiter/limiter.ts';
import type { ByEnvironment, Environment } from './environment.ts';

/** The settings as they are now; undefined if Bellhop would not start with them. */
export function readVariablesAgain(
  given: Variables,
  inUse: Variables,
  log: Log,
): Variables | undefined {
  try {
    const variables = readSecretFiles(given);
    readConfig(variables);
    for (const { variable, setting } of allSettings()) {
      if (!setting.secret || variables[variable] === inUse[variable]) continue;
      if (isSameServer(inUse[variable], variables[variable])) continue;
      log.warn({ setting: variable }, `${variable} has changed; restart Bellhop to use it.`);
    }
    return variables;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.error(`${error.message} Bellhop would not start again with this.`);
    return undefined;
  }
}

/** In each thread, which has its own log. */
export function useNewLogLevel(log: LeveledLog, variables: Variables): void {
  log.setLevel(readConfig(variables).logLevel);
}

/** In each thread, which has its own connections. */
export function useNewCredentials(
  environments: ByEnvironment<Environment & { limiter?: LimitReader & Partial<Limiter> }>,
  variables: Variables,
): void {
  for (const [name, { settings, store, limiter, log }] of environments) {
    const url = variables[databaseVariable(name)]?.trim();
    const directUrl = variables[directVariable(name)]?.trim() || undefined;
    const isSame =
      isSameServer(settings.databaseUrl, url) &&
      (directUrl === undefined || isSameServer(settings.databaseDirectUrl, directUrl));
    if (isSame && store.useCredentials?.({ url, directUrl })) {
      log.info('new connections to the database use new credentials');
    }
    const redis = variables[redisVariable(name)]?.trim();
    if (isSameServer(settings.redisUrl, redis) && limiter?.useCredentials?.(redis)) {
      log.info('new connections to Redis use new credentials');
    }
  }
}

/** Whether only the user or the password differs. */
export function isSameServer(one: string | undefined, other: string | undefined): other is string {
  const [before, after] = [one, other].map(withoutCredentials);
  return before !== undefined && before === after;
}

function withoutCredentials(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  const url = URL.parse(trimmed);
  if (!url?.protocol.startsWith('postgres')) return withoutRedisUsers(trimmed);
  url.username = '';
  url.password = '';
  return url.href;
}

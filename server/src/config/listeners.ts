/** Which listeners a process opens, and where: a node with one role needs no port of a role that it does not have. */
import type { EnvironmentName } from './settings.ts';

export interface ListenerSettings {
  host: string;
  port: number;
  /** The setting of the port. */
  variable: string;
}

export type ListenerName = EnvironmentName | 'backOffice' | 'monitoring';

/** The part of the configuration that decides this. */
interface ListenersConfig {
  host: string;
  roles: readonly string[];
  environments: readonly EnvironmentName[];
  productionPort: number;
  sandboxPort: number;
  backOfficePort: number;
}

export function listenersOf(config: ListenersConfig): Map<ListenerName, ListenerSettings> {
  const { host, roles } = config;
  const listeners = new Map<ListenerName, ListenerSettings>();
  if (roles.includes('partner-api')) {
    for (const name of config.environments) {
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      listeners.set(name, { host, port, variable: `BELLHOP_${name.toUpperCase()}_PORT` });
    }
  }
  const backOffice = { host, port: config.backOfficePort, variable: 'BELLHOP_BACK_OFFICE_PORT' };
  if (roles.includes('back-office')) listeners.set('backOffice', backOffice);
  else if (roles.includes('monitoring')) listeners.set('monitoring', backOffice);
  return listeners;
}

export function httpAddress(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** 0.0.0.0 and :: are no addresses to call; a listener on all addresses of a machine answers at localhost, too. */
const ALL_ADDRESSES = /\/\/(?:0\.0\.0\.0|\[::\]):/;

/**
 * Where partners find the partner API: as the operator says, or else where it listens. `addresses` are those of this
 * process; one without a partner API takes its settings for those of its peers.
 */
export function partnerApiUrls(
  config: ListenersConfig & Record<EnvironmentName, { url: string | undefined }>,
  addresses: Readonly<Record<string, string>>,
): Map<EnvironmentName, string> {
  return new Map(
    config.environments.map((name) => {
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      const address = addresses[name] ?? httpAddress(config.host, port);
      return [name, config[name].url ?? address.replace(ALL_ADDRESSES, '//localhost:')];
    }),
  );
}

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

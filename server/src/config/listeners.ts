/** Which listeners a process opens, and where: a node with one role needs no port of a role that it does not have. */
import type { Config } from './config.ts';
import type { EnvironmentName } from './settings.ts';

export interface ListenerSettings {
  host: string;
  port: number;
  /** The setting of the port. */
  variable: string;
}

export type ListenerName = EnvironmentName | 'backOffice';

export function listenersOf(config: Config): Map<ListenerName, ListenerSettings> {
  const { host, roles } = config;
  const listeners = new Map<ListenerName, ListenerSettings>();
  if (roles.includes('partner-api')) {
    for (const name of config.environments) {
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      listeners.set(name, { host, port, variable: `BELLHOP_${name.toUpperCase()}_PORT` });
    }
  }
  if (roles.includes('back-office')) {
    const port = config.backOfficePort;
    listeners.set('backOffice', { host, port, variable: 'BELLHOP_BACK_OFFICE_PORT' });
  }
  return listeners;
}

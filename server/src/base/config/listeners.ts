/** Which listeners a process opens, and where: a node with one role needs no port of a role that it does not have. */
import type { EnvironmentName } from './settings.ts';

export interface ListenerSettings {
  host: string;
  port: number;
  /** The setting of the port. */
  variable: string;
  /** A proxy passes calls on to it. */
  isProxied: boolean;
  /** Undefined if it speaks plain HTTP. */
  tls?: TlsFiles | undefined;
}

export interface TlsFiles {
  cert: NamedFile;
  key: NamedFile;
}

interface NamedFile {
  /** The setting that names it. */
  variable: string;
  file: string;
}

export type ListenerName = EnvironmentName | 'backOffice' | 'portal' | 'monitoring';

/** The part of the configuration that decides this. */
interface ListenersConfig {
  host: string;
  roles: readonly string[];
  environments: readonly EnvironmentName[];
  trustedProxies: readonly unknown[];
  productionPort: number;
  sandboxPort: number;
  backOfficePort: number;
  backOfficeTlsCertFile?: string | undefined;
  backOfficeTlsKeyFile?: string | undefined;
  portalPort: number;
  portalTlsCertFile?: string | undefined;
  portalTlsKeyFile?: string | undefined;
  production?: TlsConfig;
  sandbox?: TlsConfig;
}

interface TlsConfig {
  tlsCertFile?: string | undefined;
  tlsKeyFile?: string | undefined;
}

export function listenersOf(config: ListenersConfig): Map<ListenerName, ListenerSettings> {
  const { host, roles } = config;
  const common = { host, isProxied: config.trustedProxies.length > 0 };
  const listeners = new Map<ListenerName, ListenerSettings>();
  if (roles.includes('partner-api')) {
    for (const name of config.environments) {
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      const prefix = `BELLHOP_${name.toUpperCase()}`;
      const tls = tlsFilesOf(prefix, config[name]);
      listeners.set(name, { ...common, port, variable: `${prefix}_PORT`, tls });
    }
  }
  const { backOfficePort: port, backOfficeTlsCertFile, backOfficeTlsKeyFile } = config;
  const files = { tlsCertFile: backOfficeTlsCertFile, tlsKeyFile: backOfficeTlsKeyFile };
  const tls = tlsFilesOf('BELLHOP_BACK_OFFICE', files);
  const backOffice = { ...common, port, variable: 'BELLHOP_BACK_OFFICE_PORT', tls };
  if (roles.includes('back-office')) listeners.set('backOffice', backOffice);
  else if (roles.includes('monitoring')) listeners.set('monitoring', backOffice);
  if (roles.includes('portal')) {
    const {
      portalPort: port,
      portalTlsCertFile: tlsCertFile,
      portalTlsKeyFile: tlsKeyFile,
    } = config;
    const tls = tlsFilesOf('BELLHOP_PORTAL', { tlsCertFile, tlsKeyFile });
    listeners.set('portal', { ...common, port, variable: 'BELLHOP_PORTAL_PORT', tls });
  }
  return listeners;
}

/** Settings that name only one of the two files are refused before. */
function tlsFilesOf(prefix: string, config: TlsConfig = {}): TlsFiles | undefined {
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  return {
    cert: { variable: `${prefix}_TLS_CERT_FILE`, file: tlsCertFile },
    key: { variable: `${prefix}_TLS_KEY_FILE`, file: tlsKeyFile },
  };
}

export function httpAddress(host: string, port: number, isTls: boolean): string {
  return `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** 0.0.0.0 and :: are no addresses to call; a listener on all addresses of a machine answers at localhost, too. */
const ALL_ADDRESSES = /\/\/(?:0\.0\.0\.0|\[::\]):/;

/**
 * Where partners find the partner API: as the operator says, or else where it listens. `addresses` are those of this
 * process; one without a partner API takes its settings for those of its peers.
 */
export function partnerApiUrls(
  config: ListenersConfig & Record<EnvironmentName, TlsConfig & { url: string | undefined }>,
  addresses: Readonly<Record<string, string>>,
): Map<EnvironmentName, string> {
  return new Map(
    config.environments.map((name) => {
      const port = name === 'production' ? config.productionPort : config.sandboxPort;
      const address =
        addresses[name] ?? httpAddress(config.host, port, config[name].tlsCertFile !== undefined);
      return [name, config[name].url ?? address.replace(ALL_ADDRESSES, '//localhost:')];
    }),
  );
}

/** The same for the portal, for the links that support makes. */
export function portalUrlOf(
  config: ListenersConfig & { portalUrl: string | undefined },
  address: string | undefined,
): string {
  const { host, portalPort, portalTlsCertFile } = config;
  const listening = address ?? httpAddress(host, portalPort, portalTlsCertFile !== undefined);
  return config.portalUrl ?? listening.replace(ALL_ADDRESSES, '//localhost:');
}

/** The certificate that an environment shows to its upstream. */
export function upstreamTlsOf(
  name: EnvironmentName,
  settings: { upstreamTlsCertFile?: string | undefined; upstreamTlsKeyFile?: string | undefined },
): TlsFiles | undefined {
  const { upstreamTlsCertFile: tlsCertFile, upstreamTlsKeyFile: tlsKeyFile } = settings;
  return tlsFilesOf(`BELLHOP_${name.toUpperCase()}_UPSTREAM`, { tlsCertFile, tlsKeyFile });
}

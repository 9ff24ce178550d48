/** What the command line can find out by itself about a server that was started from this folder. */
import { ConfigError } from '../config/config.ts';
import { type Setting, settings } from '../config/settings.ts';
import { BadValue } from '../config/values.ts';
import { keptAdminToken } from '../secrets.ts';
import { readHttpUrl, UsageError } from './usage.ts';

/**
 * One setting, read as the server does. Not all of them: a command must not fail over a setting that
 * it has no use for.
 */
export function settingHere<T>({ variable, default: byDefault, read }: Setting<T>): T {
  try {
    return read((process.env[variable]?.trim() || byDefault) as string);
  } catch (error) {
    if (error instanceof BadValue) throw new ConfigError(`${variable} ${error.message}.`);
    throw error;
  }
}

/** `option` is what to give instead where the address cannot be known. */
export function localAddress(setting: Setting<number>, option: string): string {
  const port = settingHere(setting);
  if (port === 0) {
    throw new UsageError(
      `${setting.variable} is 0, so the server listens where it likes; take the address from its ready line and give it with ${option}.`,
    );
  }
  const host = settingHere(settings.host);
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

export function backOfficeAddress(given: string | undefined): string {
  if (given !== undefined) return readHttpUrl('--back-office', given).replace(/\/+$/, '');
  return localAddress(settings.backOfficePort, '--back-office');
}

export function sandboxAddress(given: string | undefined): string {
  if (given !== undefined) return readHttpUrl('--url', given);
  return localAddress(settings.sandboxPort, '--url');
}

/**
 * The token as given, or the one that a server on this machine keeps in its data folder. That one is
 * the admin's, so it is sent to this machine only.
 */
export function backOfficeToken(given: string | undefined, address: string): string {
  const named = given || process.env.BELLHOP_TOKEN?.trim();
  if (named) return named;
  if (isThisMachine(address)) {
    const dataDir = settingHere(settings.dataDir);
    const local =
      process.env.BELLHOP_ADMIN_TOKEN?.trim() ||
      keptAdminToken(dataDir, process.env.BELLHOP_ENVIRONMENTS?.trim() === 'sandbox');
    if (local) return local;
    throw new UsageError(
      `There is no token, and none in ${dataDir}, where a server started here with "npm start" keeps it. Give one with --token or BELLHOP_TOKEN.`,
    );
  }
  throw new UsageError(
    `There is no token for ${address}. Give one with --token or BELLHOP_TOKEN; the one in the data folder is sent to this machine only.`,
  );
}

function isThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** What commands find out by themselves about a server that was started from this folder. */
import { isLoopback } from '../base/addresses/addresses.ts';
import { ConfigError, readSecretFiles } from '../base/config/config.ts';
import { httpAddress } from '../base/config/listeners.ts';
import { environmentSettings, type Setting, settings } from '../base/config/settings.ts';
import { BadValue } from '../base/config/values.ts';
import { keptAdminToken } from '../operate/secrets.ts';
import { UsageError } from './failures.ts';

/**
 * Reads one setting as the server does. Only this one: a command must not fail because of a setting
 * that it does not use.
 */
export function settingHere<T>({ variable, default: byDefault, read }: Setting<T>): T {
  try {
    const given = process.env[variable]?.trim() || byDefault;
    return (given === undefined ? undefined : read(given)) as T;
  } catch (error) {
    if (error instanceof BadValue) throw new ConfigError(`${variable} ${error.message}.`);
    throw error;
  }
}

/** `option` is the one to pass if the address cannot be known. */
function localAddress(
  setting: Setting<number>,
  certificate: Setting<string | undefined>,
  option: string,
): string {
  const port = settingHere(setting);
  if (port === 0) {
    throw new UsageError(
      `${setting.variable} is 0, so the server picked a free port. Copy the address from its ready line and pass it with ${option}.`,
    );
  }
  const host = settingHere(settings.host);
  const everywhere = host === '0.0.0.0' || host === '::';
  return httpAddress(everywhere ? '127.0.0.1' : host, port, settingHere(certificate) !== undefined);
}

export function backOfficeAddress(given: string | undefined): string {
  if (given !== undefined) return given.replace(/\/+$/, '');
  const { backOfficePort, backOfficeTlsCertFile } = settings;
  return localAddress(backOfficePort, backOfficeTlsCertFile, '--back-office');
}

export function sandboxAddress(): string {
  const variable = `BELLHOP_SANDBOX_${environmentSettings.tlsCertFile.variable}`;
  const certificate = { ...environmentSettings.tlsCertFile, variable };
  return localAddress(settings.sandboxPort, certificate, '--url');
}

/**
 * The given token, or the one that a server on this machine keeps in its data folder. The latter is
 * the admin's, so it is only ever sent to this machine.
 */
export function backOfficeToken(given: string | undefined, address: string): string {
  if (given) return given;
  if (isLoopback(new URL(address).hostname)) {
    const dataDir = settingHere(settings.dataDir);
    const local =
      readSecretFiles(process.env).BELLHOP_ADMIN_TOKEN?.trim() ||
      keptAdminToken(dataDir, process.env.BELLHOP_ENVIRONMENTS?.trim() === 'sandbox')?.token;
    if (local) return local;
    throw new UsageError(
      `There is no token in ${dataDir}, where a server started here with "npx bellhop" keeps it. Pass one with --token or BELLHOP_TOKEN.`,
    );
  }
  throw new UsageError(
    `There is no token for ${address}. Pass one with --token or BELLHOP_TOKEN. The token in the data folder is only sent to this machine.`,
  );
}

/** Secrets that Bellhop makes for itself when it is given none; kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config/config.ts';
import { BadValue, masterKey } from './config/values.ts';

const MASTER_KEY_FILE = 'master.key';
const ADMIN_TOKEN_FILE = 'admin.token';
const SANDBOX_TOKEN_FILE = 'admin.sandbox.token';

export function masterKeyIn(dataDir: string): Buffer {
  makeFolder(dataDir);
  const file = join(dataDir, MASTER_KEY_FILE);
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  try {
    return masterKey(readFileSync(file, 'utf8').trim());
  } catch (error) {
    if (error instanceof BadValue)
      throw new ConfigError(`The master key in ${file} ${error.message}.`);
    throw error;
  }
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    throw new ConfigError(
      `BELLHOP_DATA_DIR must name a folder that can be written to: ${(error as Error).message}.`,
    );
  }
}

/**
 * For the command line on this machine, which is let in without being handed a token. A process that
 * serves the sandbox alone has tokens of its own, and leaves the file of one that serves both alone.
 * Returns the file.
 */
export function keepAdminToken(dataDir: string, token: string, sandboxAlone: boolean): string {
  makeFolder(dataDir);
  const usual = join(dataDir, ADMIN_TOKEN_FILE);
  const file = sandboxAlone && existsSync(usual) ? join(dataDir, SANDBOX_TOKEN_FILE) : usual;
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return file;
}

/** Undefined where the server keeps none there: it was given one, or runs elsewhere. */
export function keptAdminToken(dataDir: string, sandboxAlone: boolean): string | undefined {
  const files = sandboxAlone ? [SANDBOX_TOKEN_FILE, ADMIN_TOKEN_FILE] : [ADMIN_TOKEN_FILE];
  for (const file of files) {
    try {
      const token = readFileSync(join(dataDir, file), 'utf8').trim();
      if (token) return token;
    } catch {
      // Not kept in this one.
    }
  }
  return undefined;
}

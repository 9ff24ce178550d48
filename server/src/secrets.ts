/** Secrets that Bellhop makes for itself when it is given none; kept in the data folder. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';

const ADMIN_TOKEN_FILE = 'admin.token';
const SANDBOX_TOKEN_FILE = 'admin.sandbox.token';

/**
 * For the command line on this machine, which is let in without being handed a token. A process that
 * serves the sandbox alone has tokens of its own, and leaves the file of one that serves both alone.
 * Returns the file; undefined if it cannot be written, when the token must still be shown to someone: the
 * database has it, and no other start prints it.
 */
export function keepAdminToken(
  dataDir: string,
  token: string,
  sandboxAlone: boolean,
): string | undefined {
  const usual = join(dataDir, ADMIN_TOKEN_FILE);
  const file = sandboxAlone && existsSync(usual) ? join(dataDir, SANDBOX_TOKEN_FILE) : usual;
  try {
    makeFolder(dataDir);
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    return file;
  } catch {
    return undefined;
  }
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

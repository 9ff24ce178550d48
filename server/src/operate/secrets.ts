/** The admin token that Bellhop generates if none is configured, stored in the data folder. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/folders.ts';

const ADMIN_TOKEN_FILE = 'admin.token';
const SANDBOX_TOKEN_FILE = 'admin.sandbox.token';

/**
 * Stores the token for the command line on this machine, so that people need not pass it. A process that
 * serves only the sandbox has its own tokens, and does not overwrite the file of a process that serves
 * both. Returns the file, or undefined if it cannot be written. Then the caller must still print the
 * token: the database already has its digest, and no later start prints it.
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

/** The file and its token. Undefined if there is none: the server was given a token, or runs elsewhere. */
export function keptAdminToken(
  dataDir: string,
  sandboxAlone: boolean,
): { file: string; token: string } | undefined {
  const names = sandboxAlone ? [SANDBOX_TOKEN_FILE, ADMIN_TOKEN_FILE] : [ADMIN_TOKEN_FILE];
  for (const name of names) {
    const file = join(dataDir, name);
    try {
      const token = readFileSync(file, 'utf8').trim();
      if (token) return { file, token };
    } catch {
      // It is not in this file.
    }
  }
  return undefined;
}

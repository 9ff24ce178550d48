/**
 * The API key of `bellhop listen`, kept between starts, so that a program behind --forward can go on
 * verifying with it. It is in the data folder, beside the admin token: one file per port, for its owner
 * only, in the form that `curl -u` takes.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../base/config/settings.ts';
import { makeFolder } from '../base/folders.ts';
import { sandboxAddress, settingHere } from './local-server.ts';

/** A server on this machine answers at once, or it is not there. */
const LONGEST_CHECK_MS = 2_000;
/** One of 100 a day. A call that uses up no limit is a refused one, which console and portal would show. */
const CHECK = { method: 'HEAD', path: '/api/b2b/v3/overview/' };

export interface ListenerKey {
  keyId: string;
  apiKey: string;
}

export function keyFile(port: number): string {
  return join(settingHere(settings.dataDir), `listen-${port}.key`);
}

/** Undefined if there is none for this key id. */
export function readKey(port: number, keyId: string): ListenerKey | undefined {
  try {
    const [id, apiKey] = readFileSync(keyFile(port), 'utf8').trim().split(':');
    return id === keyId && apiKey ? { keyId, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the file, or undefined if it cannot be written: then the next start gets a new key. */
export function keepKey(port: number, { keyId, apiKey }: ListenerKey): string | undefined {
  const file = keyFile(port);
  const draft = `${file}.${process.pid}`;
  try {
    makeFolder(settingHere(settings.dataDir));
    writeFileSync(draft, `${keyId}:${apiKey}\n`, { mode: 0o600 });
    renameSync(draft, file);
    return file;
  } catch {
    return undefined;
  }
}

/**
 * False if the sandbox no longer accepts the key, because it was rotated elsewhere. A sandbox that cannot
 * be asked (its partner API runs elsewhere) leaves the question open, and most likely nothing has changed.
 */
export async function isStillValid({ keyId, apiKey }: ListenerKey): Promise<boolean> {
  try {
    const reply = await fetch(sandboxAddress() + CHECK.path, {
      method: CHECK.method,
      headers: { authorization: `Basic ${btoa(`${keyId}:${apiKey}`)}` },
      redirect: 'error',
      signal: AbortSignal.timeout(LONGEST_CHECK_MS),
    });
    return reply.status !== 401;
  } catch {
    return true;
  }
}

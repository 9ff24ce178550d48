/**
 * The demo key, kept in the data folder beside the admin token, so that `bellhop demo` can show it again. It
 * opens nothing but the sandbox, and only its owner can read the file, which has the form that `curl -u` takes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';

const DEMO_KEY_FILE = 'demo.key';

export interface DemoKey {
  keyId: string;
  apiKey: string;
}

/** Does nothing if the file cannot be written: the key has been printed, and can be rotated. */
export function keepDemoKey(dataDir: string, { keyId, apiKey }: DemoKey): void {
  try {
    makeFolder(dataDir);
    writeFileSync(join(dataDir, DEMO_KEY_FILE), `${keyId}:${apiKey}\n`, { mode: 0o600 });
  } catch {
    // As said above.
  }
}

/** Undefined if no server that used this folder made one. */
export function keptDemoKey(dataDir: string): DemoKey | undefined {
  try {
    const [keyId, apiKey] = readFileSync(join(dataDir, DEMO_KEY_FILE), 'utf8').trim().split(':');
    return keyId && apiKey ? { keyId, apiKey } : undefined;
  } catch {
    return undefined;
  }
}

/** A call to try it with. */
export function demoCall({ keyId, apiKey }: DemoKey, sandboxUrl: string): string {
  return `curl -u ${keyId}:${apiKey} ${sandboxUrl}/api/b2b/v3/overview/`;
}

/**
 * Both threads of a process use the same files, and each has its own `StorageHealth`. What one of them
 * finds damaged, the other must not write to either.
 */
import { resolve } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import type { StorageHealth } from '../storage-health.ts';

/** Returns a function that ends the sharing. */
export function shareDamage(folder: string, health: StorageHealth): () => void {
  const channel = new BroadcastChannel(`bellhop: damage in ${resolve(folder)}`);
  channel.onmessage = () => health.learnOfDamage();
  channel.unref();
  health.onDamage(() => channel.postMessage(null));
  return () => channel.close();
}

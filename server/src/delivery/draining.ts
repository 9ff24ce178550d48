/** At a stop: what is in flight finishes and is recorded, or is left for another node to attempt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poster } from '../receiver/post.ts';
import type { Attempts } from './attempts.ts';
import type { Settling } from './settling.ts';

/** In-flight attempts have this long; then they are broken off, and outcomes not recorded are dropped. */
const DRAIN_MS = 8_000;
const LOOK_MS = 20;

export async function drained(parts: {
  attempts: Attempts;
  settling: Settling;
  poster: Poster;
  /** Gives back what has nothing in flight; may take a while if the database hangs. */
  retire(): Promise<void>;
}): Promise<void> {
  const { attempts, settling, poster, retire } = parts;
  const cut = setTimeout(() => {
    void poster.close();
    settling.giveUp();
  }, DRAIN_MS);
  await retire();
  while (!settling.isIdle || (attempts.count > 0 && !settling.isGivenUp)) await sleep(LOOK_MS);
  clearTimeout(cut);
}

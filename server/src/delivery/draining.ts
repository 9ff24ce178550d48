/** At a stop: attempts in flight finish and are recorded, or another node repeats them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poster } from '../receiver/post.ts';
import type { Attempts } from './attempts.ts';
import type { Settling } from './settling.ts';

/** Attempts in flight have this long. Then they are aborted, and unrecorded outcomes are dropped. */
const DRAIN_MS = 8_000;
const POLL_MS = 20;

export async function drained(parts: {
  attempts: Attempts;
  settling: Settling;
  poster: Poster;
  /** Releases shards with nothing in flight. May take a while if the database hangs. */
  retire(): Promise<void>;
}): Promise<void> {
  const { attempts, settling, poster, retire } = parts;
  const cut = setTimeout(() => {
    void poster.close();
    settling.giveUp();
  }, DRAIN_MS);
  await retire();
  while (!settling.isIdle || (attempts.count > 0 && !settling.isGivenUp)) await sleep(POLL_MS);
  clearTimeout(cut);
}

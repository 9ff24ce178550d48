/**
 * One station: servers with a queue each, arrivals at random and spread evenly. Costs vary: one in a hundred takes
 * twenty times as long, like a collection of garbage or a slow commit.
 */
export interface Station {
  name: string;
  servers: number;
  /** Arrivals at all servers together. */
  perSecond: number;
  /** The mean cost of one. */
  micros: number;
}

export interface Outcome {
  /** The mean share of the time that a server is busy; at 1 or above the queue grows without end. */
  busy: number;
  p50Ms: number;
  p99Ms: number;
  longest: number;
}

const SECONDS = 10;
const SLOW_SHARE = 0.01;
const SLOW_FACTOR = 20;
/** So that the mean is `micros`. */
const USUAL = 1 / (1 - SLOW_SHARE + SLOW_SHARE * SLOW_FACTOR);

/** All servers are alike, so one of them is simulated. */
export function simulate(station: Station, seed: number): Outcome {
  const random = randomFrom(seed);
  const perSecond = station.perSecond / station.servers;
  const usual = (station.micros / 1e6) * USUAL;
  const waits: number[] = [];
  const leaving: number[] = [];
  let first = 0;
  let now = 0;
  let freeAt = 0;
  let worked = 0;
  let longest = 0;
  while (now < SECONDS) {
    now += -Math.log(1 - random()) / perSecond;
    const cost = random() < SLOW_SHARE ? usual * SLOW_FACTOR : usual;
    freeAt = Math.max(now, freeAt) + cost;
    worked += cost;
    waits.push(freeAt - now);
    leaving.push(freeAt);
    while ((leaving[first] as number) <= now) first++;
    longest = Math.max(longest, leaving.length - first);
  }
  waits.sort((a, b) => a - b);
  const at = (share: number) => (waits[Math.floor(waits.length * share)] as number) * 1_000;
  return { busy: worked / now, p50Ms: at(0.5), p99Ms: at(0.99), longest };
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What a rate limiter must do, with either engine. The rule is exact: in no span of
 * `seconds` are more than `requests` admitted, and nothing is refused while fewer than that were.
 * Only admitted requests count, so a caller that keeps trying while it is over the limit does not have to wait longer.
 */
export interface Limiter extends LimitReader {
  /** Admits one request and counts it, or refuses it and counts nothing. */
  admit(keyId: string, endpoint: string, window: Window): Standing | Promise<Standing>;
  /** Where the key stands, as `admit` would find it, without using anything up. */
  standing(keyId: string, endpoint: string, window: Window): Standing | Promise<Standing>;
  /** The journal has lost the newest of what it was given until then: that is written once more. */
  journalLost?(silentForMs: number): void;
  /** Undefined while all is well, else a sentence for readiness and the log. */
  trouble(): string | undefined;
  /**
   * For connections that are opened from now on: the address of the same Redis with another user or password. Returns
   * false if nothing has changed. A limiter in this process has no connections.
   */
  useCredentials?(redisUrl: string): boolean;
  /** Counts failed sign-ins for all nodes that share the limits; absent if none do. */
  shareFailures?(rule: FailureRule): CountFailure;
  /** Orderly stop: what must outlive the process is saved. */
  close(): Promise<void>;
}

/** So many failures of one address are told in any such span. */
export interface FailureRule {
  failures: number;
  spanMs: number;
  /** Told which addresses have used them up, whichever node found out. */
  onHeld(address: string, freesInMs: number): void;
}

/** Undefined while the nodes cannot share anything. */
export type CountFailure = (address: string) => Promise<CountedFailure | undefined>;

export interface CountedFailure {
  /** If not, it was one too many. */
  isCounted: boolean;
  /** Until the next one can be counted; 0 if it can be now. */
  freesInMs: number;
}

/** Limits that can be looked at but not used up, as the back office does. */
export interface LimitReader {
  /** Where the key stands in each of these windows, in their order. Costs one message to another thread. */
  standings(keyId: string, windows: readonly EndpointWindow[]): Promise<Standing[]>;
}

export interface EndpointWindow {
  endpoint: string;
  window: Window;
}

/** As a limiter in this thread reads them. */
export function standingsBy(standing: Limiter['standing']): LimitReader['standings'] {
  return (keyId, windows) =>
    Promise.all(windows.map(({ endpoint, window }) => standing(keyId, endpoint, window)));
}

export interface Window {
  /** At most this many requests … */
  requests: number;
  /** … in any span of this many seconds. */
  seconds: number;
}

export interface Standing {
  /** From `admit`: the request was admitted. From `standing`: the next one would be. */
  admitted: boolean;
  /** How many more would be admitted right now. */
  remaining: number;
  /**
   * Milliseconds until the next slot frees if none remain, otherwise until the oldest counted
   * request leaves the window; 0 when nothing is counted.
   */
  resetInMs: number;
}

/** Windows this long or longer outlive a crash; shorter ones outlive an orderly restart. */
export const DURABLE_WINDOW_SECONDS = 3_600;

/** One admitted request as it is kept between runs; wall-clock milliseconds. */
export interface Admission {
  keyId: string;
  endpoint: string;
  atMs: number;
  /** When the longest window that may count it has passed; of no use to anyone after that. */
  keepUntilMs: number;
  /** The window in force when it was written; unknown if an older version wrote it. */
  window?: { requests: number; spanMs: number };
  /** A window of before, if it still has to be held: see `Ring`. */
  past?: { requests: number; spanMs: number; untilMs: number };
  /** Those of one key, endpoint and time replace all that was appended for them before. */
  restatedAtMs?: number;
  /** Where limits are shared: an admission may be written twice, and is one by its id. */
  id?: string;
  /** The life of the Redis that has counted it; absent while Redis may not know of it. */
  epoch?: string;
}

/** Where a limiter keeps what must outlive its process. Nodes on one database share it. */
export interface AdmissionJournal {
  /** Returns (or resolves) once all of them would outlive a crash. */
  append(admissions: readonly Admission[]): void | Promise<void>;
  /** Everything still worth keeping at `nowMs`, in the order in which it was appended. */
  load(nowMs: number): AsyncIterable<Admission>;
  /** Deletes what is no longer worth keeping; called now and then. */
  prune(nowMs: number): Promise<void>;
  /** Absent if no nodes share it. */
  readonly loneNodes?: LoneNodes;
}

/** How nodes that share a journal tell each other which of them decide by themselves. */
export interface LoneNodes {
  /** To be told again every `LONE_TOLD_EVERY_MS`: what was told longer ago than a few times that is forgotten. */
  tell(alone: LoneNode): Promise<void>;
  /** The node is back. */
  untell(name: string): Promise<void>;
  /** Those that said so, within a second. The list is the same one until something changes. */
  heard(): readonly LoneNode[];
}

export const LONE_TOLD_EVERY_MS = 1_000;

/** It fills of each window the share of one of so many nodes. */
export interface LoneNode {
  name: string;
  nodes: number;
  /** Which of them it is, from 0. */
  rank: number;
}

/** What Bellhop has promised to keep, and since when. */
export type Environment = 'production' | 'sandbox';

interface Promised {
  /** When the reply had arrived, rounded up. */
  atMs: number;
}
export interface EventPromise extends Promised {
  environment: Environment;
  eventId: string;
}
export interface AdmissionPromise extends Promised {
  environment: Environment;
  keyId: string;
}
/** An audited change of a partner. */
export interface ChangePromise extends Promised {
  environment: Environment;
  partnerId: string;
  name: string;
}
/** A change in the back office's own database. */
export interface TokenPromise extends Promised {
  tokenId: string;
}

export interface Promises {
  events: EventPromise[];
  admissions: AdmissionPromise[];
  changes: ChangePromise[];
  tokens: TokenPromise[];
  /** When a webhook arrived, by environment and event id. */
  arrivalsMs: Map<string, number>;
}

export function noPromises(): Promises {
  return { events: [], admissions: [], changes: [], tokens: [], arrivalsMs: new Map() };
}

/** `Date.now()` rounds down. */
export const nowRoundedUp = () => Date.now() + 1;

export function madeBefore<T extends Promised>(promises: readonly T[], atMs: number): T[] {
  return promises.filter((one) => one.atMs <= atMs);
}

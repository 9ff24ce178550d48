/**
 * What the torture itself knows: which events it reported and the answers, what its receivers saw and how
 * they replied, and when it injected faults. The check compares Bellhop's records with this.
 */

import type { EventType } from '@bellhop/partner';
import type { EnvironmentName } from '../kit/bellhop.ts';
import type { PartnerCall } from './partner-calls.ts';
import { Presence } from './presence.ts';
import type { Reply } from './replies.ts';
import type { Office } from './world.ts';

/** Nodes store again what was lost within this time after they reach the new primary, on a busy machine. */
export const RESTORED_MS = 5_000;

export interface SentEvent {
  environment: EnvironmentName;
  eventId: string;
  /** Undefined if the partner has no midoffice. */
  office: Office | undefined;
  partnerId: string;
  askedOfficeId: string | undefined;
  type: EventType;
  orderId: string;
  /** Its index among the events of its order. */
  position: number;
  agreementNumber: string | undefined;
  status: string | undefined;
  /** It may have been stored although no answer came. */
  uncertain: boolean;
  /** In a failover, and reported again before it was stored again. */
  wasLost: boolean;
  /** Undefined until there is a 202. */
  deliveryId: string | undefined;
  /** When that 202 came. */
  acceptedAtMs: number | undefined;
}

export interface Reception {
  office: Office;
  eventId: string;
  arrivedAtMs: number;
  token: string;
  timestamp: number;
  reply: Reply;
  /** When the receiver ended the exchange; undefined if it left that to Bellhop. */
  endedAtMs: number | undefined;
  /** When the receiver saw the end of the exchange. */
  closedAtMs: number | undefined;
}

/** A fault that was injected into Bellhop or its database. */
export interface Fault {
  kind: FaultKind;
  /** The node with the fault; undefined for the database, which affects all nodes. */
  node: string | undefined;
  atMs: number;
  /** When the fault ended; infinite until then. A kill takes no time. */
  untilMs: number;
}

export type FaultKind =
  | 'bellhop killed'
  | 'bellhop killed while starting'
  | 'bellhop stopped'
  | 'bellhop frozen'
  | 'bellhop frozen for longer than a lease'
  | 'bellhop cut off from its database'
  | 'bellhop cut off for longer than a lease'
  | "bellhop's database connections cut"
  | 'database killed'
  | 'database stopped at once'
  | 'database restarted'
  | 'database away for longer than a lease'
  | 'database connections cut'
  | 'database failed over with lag'
  | ModeFaultKind;

/** Faults that only `--fault` injects. */
export type ModeFaultKind =
  | 'bellhop cut off from Redis'
  | "bellhop's clock stepped"
  | 'redis killed'
  | 'redis restarted empty'
  | 'redis paused'
  | 'redis failed over'
  | 'redis slot moved'
  | 'database failed over'
  | 'database read-only'
  | 'database slow'
  | 'disk of the database full';

/** A node stopped working on its lanes. */
export interface Loss {
  node: string;
  kind: FaultKind;
  atMs: number;
  lanes: readonly Office[];
}

export interface Violation {
  rule: string;
  detail: string;
}

export class Ledger {
  readonly events = new Map<string, SentEvent>();
  readonly receptions: Reception[] = [];
  readonly calls: PartnerCall[] = [];
  readonly faults: Fault[] = [];
  readonly losses: Loss[] = [];
  readonly presence = new Presence();
  readonly violations: Violation[] = [];
  readonly tokens = new Set<string>();
  /** How long nodes took to start, and to stop when asked to. */
  readonly startsMs: number[] = [];
  readonly stopsMs: number[] = [];
  /** How long nodes still let in keys that were revoked after a failover; each node, each time. */
  readonly revokedMs: number[] = [];
  /** Counts 202 answers, once for each event in them. */
  accepted = 0;
  /** Events reported again on purpose. */
  repeats = 0;
  /** Events whose first 202 was lost: the next report of them was answered `duplicate`. */
  lostAnswers = 0;

  add(event: SentEvent): void {
    this.events.set(keyOf(event.environment, event.eventId), event);
  }

  find(environment: EnvironmentName, eventId: string): SentEvent | undefined {
    return this.events.get(keyOf(environment, eventId));
  }

  /** PostgreSQL has lost what it had confirmed last. */
  get failoversWithLag(): Fault[] {
    return this.faults.filter(({ kind }) => kind === 'database failed over with lag');
  }

  /** Nodes may not have stored again yet what was lost. */
  isRestoring(nowMs: number): boolean {
    return this.failoversWithLag.some(
      ({ atMs, untilMs }) => atMs <= nowMs && nowMs <= untilMs + RESTORED_MS,
    );
  }

  /** Those in which a node was away and could not tell what it knew, from the lag to its return. */
  get failoversWithAbsentNodes(): Pick<Fault, 'atMs' | 'untilMs'>[] {
    const absences = this.faults.filter(({ kind }) => /^bellhop (frozen|cut off)/.test(kind));
    return this.failoversWithLag.flatMap((failover) => {
      const { atMs, untilMs } = failover;
      const during = absences.filter((one) => one.atMs < untilMs && one.untilMs > atMs);
      return during.map((one) => ({ atMs, untilMs: Math.max(untilMs, one.untilMs) }));
    });
  }

  /** Records a fault without duration. For a longer one, the caller sets its end. */
  inject(kind: FaultKind, node?: string): Fault {
    const atMs = Date.now();
    const fault: Fault = { kind, node, atMs, untilMs: atMs };
    this.faults.push(fault);
    return fault;
  }

  /** Records a fault that lasts as long as `during`. */
  async strikeFor(
    kind: FaultKind,
    node: string | undefined,
    during: () => Promise<void>,
  ): Promise<void> {
    const fault = this.inject(kind, node);
    fault.untilMs = Number.POSITIVE_INFINITY;
    await during();
    fault.untilMs = Date.now();
  }

  violate(rule: string, detail: string): void {
    this.violations.push({ rule, detail });
  }
}

/** Both environments use the same event ids, on purpose. */
function keyOf(environment: EnvironmentName, eventId: string): string {
  return `${environment} ${eventId}`;
}

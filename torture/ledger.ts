/**
 * What the torture itself knows: which events it reported and what it was answered, what its
 * receivers saw and how they replied, and when it struck. Bellhop's word is checked against this.
 */
import type { EventType } from '@bellhop/partner';
import { Presence } from './presence.ts';
import type { Reply } from './replies.ts';
import type { EnvironmentName, Office } from './world.ts';

export interface SentEvent {
  environment: EnvironmentName;
  eventId: string;
  /** Undefined where the partner has no midoffice. */
  office: Office | undefined;
  partnerId: string;
  askedOfficeId: string | undefined;
  type: EventType;
  orderId: string;
  /** Among the events of its order, in the order of reporting. */
  place: number;
  agreementNumber: string | undefined;
  status: string | undefined;
  /** A report of it may have been stored although no answer came. */
  uncertain: boolean;
  /** Null: accepted, but there is no midoffice. Undefined until there is a 202. */
  deliveryId: string | null | undefined;
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
  /** When the receiver ended it, by its reply or otherwise; undefined if it left that to Bellhop. */
  endedAtMs: number | undefined;
  /** When the receiver saw that it was over. */
  closedAtMs: number | undefined;
}

/** Something that was done to Bellhop or its database. */
export interface Blow {
  kind: BlowKind;
  /** The node that was struck; undefined where it was the database, and with it all of them. */
  node: string | undefined;
  atMs: number;
  /** When the cause was gone; infinite until then. A kill takes no time. */
  untilMs: number;
}

export type BlowKind =
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
  | 'database connections cut';

/** A node stopped working on the lanes that it owned. */
export interface Loss {
  node: string;
  kind: BlowKind;
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
  readonly blows: Blow[] = [];
  readonly losses: Loss[] = [];
  readonly presence = new Presence();
  readonly violations: Violation[] = [];
  readonly tokens = new Set<string>();
  /** How long nodes took to be up, and to stop when they were asked to. */
  readonly startsMs: number[] = [];
  readonly stopsMs: number[] = [];
  /** Answers with 202, one per event in them. */
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

  /** The blow of a moment; for a longer one, the caller sets its end. */
  strike(kind: BlowKind, node?: string): Blow {
    const atMs = Date.now();
    const blow: Blow = { kind, node, atMs, untilMs: atMs };
    this.blows.push(blow);
    return blow;
  }

  /** A blow that lasts as long as `during` takes. */
  async strikeFor(
    kind: BlowKind,
    node: string | undefined,
    during: () => Promise<void>,
  ): Promise<void> {
    const blow = this.strike(kind, node);
    blow.untilMs = Number.POSITIVE_INFINITY;
    await during();
    blow.untilMs = Date.now();
  }

  violate(rule: string, detail: string): void {
    this.violations.push({ rule, detail });
  }
}

/** Both environments use the same event ids, on purpose. */
function keyOf(environment: EnvironmentName, eventId: string): string {
  return `${environment} ${eventId}`;
}

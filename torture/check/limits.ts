/**
 * No limit is exceeded. While Redis decides, every window is exact, whichever nodes fail. Nodes that cannot reach
 * Redis divide what was left, as docs/limits.md says: together they may only admit in addition what they had not
 * heard of each other in the second before, or in the second after: then those that go on with Redis know that they
 * must leave a node its share. A node that is cut off from PostgreSQL too, so that it cannot tell them, may admit its
 * share in addition. A node that is killed meanwhile starts with a window of its own.
 */

import { readFileSync } from 'node:fs';
import type { EnvironmentName } from '../../kit/bellhop.ts';
import type { Fault, FaultKind, Ledger } from '../ledger.ts';
import type { LimitedKey } from '../limited-keys.ts';
import type { BellhopNode } from '../nodes.ts';
import { hasFailed, type PartnerCall } from '../partner-calls.ts';

/** Shorter windows do not survive a kill of the only process that knows them. */
const DURABLE_SECONDS = 3_600;
const KILLS: ReadonlySet<FaultKind> = new Set(['bellhop killed', 'bellhop killed while starting']);

/** What nodes have not heard of each other when they lose Redis, with the time that they take to notice. */
const UNHEARD_MS = 1_000;
const NOTICED_MS = 500;
/** Until the others have heard that a node has lost Redis. */
const HEARD_MS = 1_000;
/** Nodes do not lose Redis, or find it again, at the very same moment. */
const CUT_OFF_MS = 1_000;

/** A node decided on its own. */
export interface Spell {
  node: string;
  environment: EnvironmentName;
  fromMs: number;
  toMs: number;
}

export function checkLimits(ledger: Ledger, nodes: readonly BellhopNode[]): Spell[] {
  const spells = nodes.flatMap((node) => spellsAlone(node, ledger));
  for (const [key, calls] of Map.groupBy(ledger.calls, (call) => call.key)) {
    checkKey(ledger, key, calls, nodes, spells);
  }
  for (const call of ledger.calls) {
    if (!hasFailed(call) || call.status === undefined || call.status >= 500) continue;
    ledger.violate('a valid call is answered or refused by its limit', describeCall(call));
  }
  return spells;
}

function checkKey(
  ledger: Ledger,
  key: LimitedKey,
  calls: readonly PartnerCall[],
  nodes: readonly BellhopNode[],
  spells: readonly Spell[],
): void {
  const admitted = calls.filter(({ status }) => status === 200);
  admitted.sort((a, b) => a.sentMs - b.sentMs);
  for (const { sentMs: fromMs } of admitted) {
    const toMs = fromMs + key.seconds * 1_000;
    // Sent and answered inside: it was admitted inside.
    const inside = admitted.filter((one) => one.sentMs >= fromMs && one.receivedMs < toMs);
    const most = mostIn(ledger, key, admitted, nodes, spells, fromMs, toMs);
    if (inside.length <= most) continue;
    ledger.violate(
      'no limit is exceeded',
      `${key.environment}, ${key.requests} calls in ${key.seconds} s, at most ${most} with the faults then: ${inside.length} admitted since ${new Date(fromMs).toISOString()}`,
    );
    return;
  }
}

/** How many may be admitted in that span. */
function mostIn(
  { faults }: Ledger,
  { environment, requests, seconds }: LimitedKey,
  admitted: readonly PartnerCall[],
  nodes: readonly BellhopNode[],
  spells: readonly Spell[],
  fromMs: number,
  toMs: number,
): number {
  const kills = faults.filter(
    ({ kind, atMs }) => KILLS.has(kind) && atMs >= fromMs && atMs <= toMs,
  ).length;
  const isShared = nodes.some(({ redis }) => redis !== undefined);
  if (!isShared) return requests * (nodes.length + (seconds < DURABLE_SECONDS ? kills : 0));
  const alone = spells.filter(
    (one) => one.environment === environment && one.fromMs <= toMs && one.toMs >= fromMs,
  );
  if (kills > 0) return requests * (alone.length + 1);
  const cutOff = new Set(alone.filter((one) => isCutOff(one, alone, nodes)));
  const unheard = admitted.filter(({ sentMs }) =>
    alone.some((one) => {
      const heardMs = one.fromMs + (cutOff.has(one) ? HEARD_MS : 0);
      return sentMs > one.fromMs - UNHEARD_MS - NOTICED_MS && sentMs <= heardMs;
    }),
  );
  const silent = new Set(
    [...cutOff].filter((one) => !canTell(one, faults)).map(({ node }) => node),
  );
  const share = Math.ceil(requests / nodes.length);
  return requests + unheard.length + silent.size * share;
}

/** Whether others had Redis meanwhile. */
function isCutOff(spell: Spell, alone: readonly Spell[], nodes: readonly BellhopNode[]): boolean {
  return nodes.some(({ name }) => {
    if (name === spell.node) return false;
    let sharedMs = spell.toMs - spell.fromMs;
    for (const one of alone) {
      if (one.node !== name) continue;
      const overlapMs = Math.min(one.toMs, spell.toMs) - Math.max(one.fromMs, spell.fromMs);
      sharedMs -= Math.max(overlapMs, 0);
    }
    return sharedMs > CUT_OFF_MS;
  });
}

/** Whether the node could reach PostgreSQL all the time: no fault but those of Redis was there. */
function canTell({ node, fromMs, toMs }: Spell, faults: readonly Fault[]): boolean {
  return !faults.some(
    (fault) =>
      !/redis/i.test(fault.kind) &&
      (fault.node ?? node) === node &&
      fault.atMs <= toMs &&
      fault.untilMs >= fromMs,
  );
}

/** From the node's log; a spell also ends with the process. */
function spellsAlone(node: BellhopNode, ledger: Ledger): Spell[] {
  const spells: Spell[] = [];
  const open = new Map<EnvironmentName, Spell>();
  const ends = ledger.presence.absencesOf(node.name);
  for (const line of readFileSync(node.logFile, 'utf8').split('\n')) {
    const begins = line.includes('"msg":"Redis is out of reach');
    if (!begins && !line.includes('"msg":"Redis is back')) continue;
    const { environment, time } = JSON.parse(line) as {
      environment: EnvironmentName;
      time: string;
    };
    const atMs = Date.parse(time);
    if (begins) {
      const endMs = ends.find(({ fromMs }) => fromMs >= atMs)?.fromMs ?? Number.POSITIVE_INFINITY;
      const spell: Spell = { node: node.name, environment, fromMs: atMs, toMs: endMs };
      open.set(environment, spell);
      spells.push(spell);
    } else {
      const spell = open.get(environment);
      if (spell) spell.toMs = Math.min(spell.toMs, atMs);
    }
  }
  return spells;
}

export function describeCall({ key, method, sentMs, receivedMs, status, problem }: PartnerCall) {
  const tookMs = Math.round(receivedMs - sentMs);
  return `${key.environment} ${method}, sent at ${new Date(sentMs).toISOString()}: ${status ?? 'no answer'} ${problem ?? ''} after ${tookMs} ms`;
}

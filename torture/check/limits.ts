/**
 * No limit is exceeded. While Redis decides, every window is exact, whichever nodes fail. A node that cannot
 * reach Redis enforces the limits on its own, as docs/limits.md says: each such spell may admit the limit once
 * more, and n nodes at most n times the limit.
 */
import { readFileSync } from 'node:fs';
import type { FaultKind, Ledger } from '../ledger.ts';
import type { LimitedKey } from '../limited-keys.ts';
import type { BellhopNode } from '../nodes.ts';
import { hasFailed, type PartnerCall } from '../partner-calls.ts';
import type { EnvironmentName } from '../world.ts';

/** Shorter windows do not survive a kill of the only process that knows them. */
const DURABLE_SECONDS = 3_600;
const KILLS: ReadonlySet<FaultKind> = new Set(['bellhop killed', 'bellhop killed while starting']);

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
    const deciders = decidersIn(ledger, key, nodes, spells, fromMs, toMs);
    if (inside.length <= key.requests * deciders) continue;
    ledger.violate(
      'no limit is exceeded',
      `${key.environment}, ${key.requests} calls in ${key.seconds} s, with ${deciders} that decide: ${inside.length} admitted since ${new Date(fromMs).toISOString()}`,
    );
    return;
  }
}

/** How many counted on their own at some time in that span: Redis, and nodes without it. */
function decidersIn(
  { faults }: Ledger,
  { environment, seconds }: LimitedKey,
  nodes: readonly BellhopNode[],
  spells: readonly Spell[],
  fromMs: number,
  toMs: number,
): number {
  const kills = faults.filter(
    ({ kind, atMs }) => KILLS.has(kind) && atMs >= fromMs && atMs <= toMs,
  ).length;
  const isShared = nodes.some(({ redis }) => redis !== undefined);
  if (!isShared) return nodes.length + (seconds < DURABLE_SECONDS ? kills : 0);
  const alone = spells.filter(
    (one) => one.environment === environment && one.fromMs <= toMs && one.toMs >= fromMs,
  );
  const deciders = alone.length + 1;
  // A node that was alone twice remembers its first spell, unless it was killed in between.
  return kills > 0 ? deciders : Math.min(deciders, nodes.length);
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

/**
 * Keys that are revoked right after a failover of PostgreSQL. A second later no node may let them in, whatever it
 * remembers of them: not one that was frozen meanwhile, and not one that was cut off once it reaches PostgreSQL again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackOffice } from './back-office.ts';
import type { Fault, Ledger } from './ledger.ts';
import { createLimitedKey, type LimitedKey } from './limited-keys.ts';
import type { BellhopNode, Nodes } from './nodes.ts';
import { call, type PartnerCall } from './partner-calls.ts';

const ENVIRONMENT = 'production';
/** So many calls that the limit never answers for the revocation. */
const WINDOW = { requests: 10_000, seconds: 2 };
const IN_FORCE_MS = 1_000;
/** How long a node has after that until it must refuse the key, and how often it is asked. */
const WATCHED_MS = 2_000;
const ASKED_EVERY_MS = 20;

/** In which nobody can tell a node anything. */
const CUT_OFF: ReadonlySet<Fault['kind']> = new Set([
  'bellhop cut off from its database',
  'bellhop cut off for longer than a lease',
]);

export class RevokedKeys {
  #backOffice: BackOffice;
  #nodes: Nodes;
  #ledger: Ledger;

  constructor(backOffice: BackOffice, nodes: Nodes, ledger: Ledger) {
    this.#backOffice = backOffice;
    this.#nodes = nodes;
    this.#ledger = ledger;
  }

  /** A key that every node knows. It is revoked when the failover says so, which ends with what each node made of it. */
  async during(failover: (promoted: () => void) => Promise<void>): Promise<void> {
    const key = await createLimitedKey(this.#backOffice, ENVIRONMENT, WINDOW);
    for (const node of this.#nodes.all) {
      while ((await this.#call(key, node)).status !== 200) await sleep(ASKED_EVERY_MS);
    }
    const promoted = Promise.withResolvers<void>();
    const revoking = promoted.promise.then(() => this.#revoke(key));
    await failover(promoted.resolve);
    await revoking;
  }

  async #revoke(key: LimitedKey): Promise<void> {
    const calls = new Map(this.#nodes.all.map((node) => [node, [] as PartnerCall[]]));
    const { keyId: key_id, environment } = key;
    await this.#backOffice.support('revokeKey', { environment, key_id });
    const revokedMs = Date.now();
    const watching = this.#nodes.all.map(async (node) => {
      const made = calls.get(node) ?? [];
      const end = () => this.#toldMs(node, revokedMs) + IN_FORCE_MS + WATCHED_MS;
      // Refused calls are failed sign-ins, of which an address has only a few.
      while (Date.now() < end()) {
        if (made.at(-1)?.status !== 401) made.push(await this.#call(key, node));
        await sleep(ASKED_EVERY_MS);
      }
      made.push(await this.#call(key, node));
    });
    await Promise.all(watching);
    for (const [node, made] of calls) this.#check(node, made, revokedMs);
  }

  #check(node: BellhopNode, calls: readonly PartnerCall[], revokedMs: number): void {
    const toldMs = this.#toldMs(node, revokedMs);
    const letIn = calls.filter(({ status }) => status === 200);
    const lastMs = Math.max(0, ...letIn.map(({ sentMs }) => sentMs - toldMs));
    this.#ledger.revokedMs.push(lastMs);
    if (calls.at(-1)?.status !== 401) {
      this.#ledger.violate(
        'a key that was revoked after a failover is refused by every node',
        `${node.name}: at last ${calls.at(-1)?.status} ${calls.at(-1)?.problem ?? ''}`,
      );
    }
    if (lastMs <= IN_FORCE_MS) return;
    this.#ledger.violate(
      'a key that was revoked after a failover is refused within a second',
      `${node.name}: let in ${Math.round(lastMs)} ms after that, revoked at ${new Date(revokedMs).toISOString()}`,
    );
  }

  /** From when on the node could know: the revocation, or the end of what cut it off. */
  #toldMs(node: BellhopNode, revokedMs: number): number {
    const cut = this.#ledger.faults.filter(
      ({ kind, node: name, untilMs }) =>
        CUT_OFF.has(kind) && name === node.name && untilMs > revokedMs,
    );
    const ends = cut.map(({ untilMs }) =>
      untilMs === Number.POSITIVE_INFINITY ? Date.now() : untilMs,
    );
    return Math.max(revokedMs, ...ends);
  }

  #call(key: LimitedKey, node: BellhopNode): Promise<PartnerCall> {
    return call(key, 'GET', `${node.partnerApis[ENVIRONMENT]}`);
  }
}

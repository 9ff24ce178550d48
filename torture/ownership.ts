/** Polls the support API for which node delivers to which midoffice. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryNodes } from '@bellhop/support-client';
import { type EnvironmentName, environments } from '../kit/bellhop.ts';
import { shardOf } from '../server/src/delivery/queue.ts';
import type { BackOffice } from './back-office.ts';
import type { BellhopNode } from './nodes.ts';
import type { Office } from './world.ts';

const ASK_EVERY_MS = 250;
/** Shards move between nodes, so an older answer says little. */
const STALE_MS = 1_500;
/** `<host>-<pid>-<random>` */
const PID = /-(\d+)-[^-]+$/;

export class Ownership {
  readonly #backOffice: BackOffice;
  readonly #offices: readonly Office[];
  readonly #latest = new Map<EnvironmentName, { askedAtMs: number; nodes: DeliveryNodes }>();
  #watching = true;

  constructor(backOffice: BackOffice, offices: readonly Office[]) {
    this.#backOffice = backOffice;
    this.#offices = offices;
  }

  /** Until `stop`. */
  watch(): void {
    for (const environment of environments) void this.#watch(environment);
  }

  stop(): void {
    this.#watching = false;
  }

  /** The midoffices that it was last known to own. */
  lanesOf({ pid }: BellhopNode): Office[] {
    return this.#offices.filter((office) => {
      const known = this.#latest.get(office.environment);
      if (!known || known.askedAtMs < Date.now() - STALE_MS) return false;
      const owner = ownerOf(office, known.nodes);
      return owner !== undefined && pidOf(owner) === pid;
    });
  }

  async #watch(environment: EnvironmentName): Promise<void> {
    while (this.#watching) {
      const askedAtMs = Date.now();
      // Unknown while the database is away.
      const nodes = await askFor(this.#backOffice, environment).catch(() => undefined);
      if (nodes) this.#latest.set(environment, { askedAtMs, nodes });
      await sleep(ASK_EVERY_MS);
    }
  }
}

export async function askFor(
  backOffice: BackOffice,
  environment: EnvironmentName,
): Promise<DeliveryNodes | undefined> {
  const { status, body } = await backOffice.call(
    'GET',
    `/support/v1/${environment}/delivery-nodes`,
  );
  return status === 200 ? (body as DeliveryNodes) : undefined;
}

export function ownerOf({ id }: Office, { items }: DeliveryNodes): string | undefined {
  const shard = shardOf(id);
  return items.find(({ shards }) => shards.includes(shard))?.id;
}

export function pidOf(nodeId: string): number {
  return Number(PID.exec(nodeId)?.[1]);
}

/** Without faults, nodes share all the work, and the support API shows how. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryNodes } from '@bellhop/support-client';
import { type EnvironmentName, environments } from '../../kit/bellhop.ts';
import { SHARDS } from '../../server/src/delivery/queue.ts';
import type { BackOffice } from '../back-office.ts';
import type { Ledger } from '../ledger.ts';
import type { Nodes } from '../nodes.ts';
import { askFor, ownerOf, pidOf } from '../ownership.ts';
import type { Office } from '../world.ts';

/** Time for the leases of dead nodes to end, and for the others to hand over their surplus. */
const SHARING_TIMEOUT_MS = 15_000;

export async function checkSharing(
  backOffice: BackOffice,
  nodes: Nodes,
  offices: readonly Office[],
  ledger: Ledger,
): Promise<void> {
  for (const environment of environments) {
    const shown = await sharedOut(backOffice, nodes, environment);
    const problem = shown ? problemOf(shown, nodes) : 'it is not shown';
    if (problem) {
      ledger.violate(
        'nodes that are up own all shards, none more than its share',
        `${environment}, ${problem}: ${JSON.stringify(shown)}`,
      );
    }
    if (!shown || problem) continue;
    for (const office of offices.filter((one) => one.environment === environment)) {
      await checkShownOwner(backOffice, office, shown, ledger);
    }
  }
}

async function sharedOut(
  backOffice: BackOffice,
  nodes: Nodes,
  environment: EnvironmentName,
): Promise<DeliveryNodes | undefined> {
  const giveUpAtMs = Date.now() + SHARING_TIMEOUT_MS;
  for (;;) {
    const shown = await askFor(backOffice, environment).catch(() => undefined);
    if ((shown && !problemOf(shown, nodes)) || Date.now() > giveUpAtMs) return shown;
    await sleep(200);
  }
}

function problemOf({ items, unowned }: DeliveryNodes, nodes: Nodes): string | undefined {
  if (unowned.length > 0) return 'nobody owns some';
  const all = items.flatMap(({ shards }) => shards);
  if (all.length !== SHARDS || new Set(all).size !== SHARDS) return 'they are not all of them';
  const strangers = items.filter(({ id }) => !nodes.withPid(pidOf(id)));
  if (strangers.length > 0 || items.length !== nodes.all.length) return 'it is not these nodes';
  const fairShare = Math.ceil(SHARDS / items.length);
  return items.some(({ shards }) => shards.length > fairShare) ? 'one has too many' : undefined;
}

async function checkShownOwner(
  backOffice: BackOffice,
  office: Office,
  shown: DeliveryNodes,
  ledger: Ledger,
): Promise<void> {
  const owner = ownerOf(office, shown);
  const { environment, id } = office;
  const { delivery_node } = await backOffice.support('getMidoffice', { environment, id });
  if (delivery_node === owner) return;
  ledger.violate(
    'a midoffice names the node that delivers to it',
    `${office.environment} "${office.character}" names ${delivery_node}, not ${owner}`,
  );
}

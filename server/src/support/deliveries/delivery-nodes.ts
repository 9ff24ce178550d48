import { readOwners } from '../../store/queue/owners.ts';
import type { Desk } from '../environment.ts';

/** Which node delivers to which midoffices, and the shards that nobody has at the moment. */
export async function listDeliveryNodes({ store, webhooks, clock }: Desk) {
  const { nodes, unowned } = await readOwners(store.db, clock.now());
  return {
    items: nodes.map(({ id, host, sinceMs, shards, inFlight }) => ({
      id,
      host,
      since: new Date(sinceMs).toISOString(),
      shards,
      // The embedded node is this process, which renews nothing and knows better.
      in_flight: store.engine === 'sqlite' ? webhooks.attemptsInFlight() : inFlight,
    })),
    unowned,
  };
}

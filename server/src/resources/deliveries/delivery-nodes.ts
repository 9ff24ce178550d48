import { readOwners } from '../../store/queue/owners.ts';
import type { SupportEnvironment } from '../environment.ts';

/** Which node delivers for which shards of midoffices, and which shards no node owns at the moment. */
export async function listDeliveryNodes({ store, webhooks, clock }: SupportEnvironment) {
  const { nodes, unowned } = await readOwners(store.db, clock.now());
  return {
    items: nodes.map(({ id, host, sinceMs, shards, inFlight }) => ({
      id,
      host,
      since: new Date(sinceMs).toISOString(),
      shards,
      // The embedded node is this process, which renews no leases and has its own, current count.
      in_flight: store.engine === 'sqlite' ? webhooks.attemptsInFlight() : inFlight,
    })),
    next_cursor: null,
    unowned,
  };
}

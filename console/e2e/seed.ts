/** Records for every page and overlay, with deliveries that arrived and some that did not. */
import { afterAll, beforeAll } from 'vitest';
import type { SharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { basic } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';
import { allAre, newAgency, report } from './agency.ts';
import type { Seed } from './every-page.ts';

/** The Bellhop must run with `GIVES_UP_AT_ONCE`. */
export function seeded(bellhop: SharedBellhop): () => Seed {
  let receiver: WebhookReceiver;
  let seed: Seed;
  beforeAll(async () => {
    receiver = await startReceiver(status(200), { atEnd: () => {} });
    const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Fernweh Reisen' });
    const [deliveredId = ''] = await report(bellhop.support, agency, ['OK-1', 'OK-2']);
    await allAre(bellhop.support, 'delivered', agency);
    receiver.answer = status(500, '{"error":"database is down"}');
    const [exhaustedId = ''] = await report(bellhop.support, agency, ['BAD-1', 'BAD-2']);
    await receiver.came(6);
    await refuseCalls(bellhop, agency.keyId);
    seed = { ...agency, deliveredId, exhaustedId };
  });
  afterAll(() => receiver?.close());
  return () => seed;
}

/** One of a key, and one of nobody. */
async function refuseCalls({ addresses, support }: SharedBellhop, keyId: string): Promise<void> {
  const url = `${addresses.production}/api/b2b/v3/search/hp/`;
  await fetch(url);
  await fetch(url, { headers: { authorization: basic(keyId, 'wrong') } });
  await eventually(
    () => support('GET', '/support/v1/production/calls'),
    ({ body }) => body.items.length === 2,
  );
}
